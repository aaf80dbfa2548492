"""003: O-ReliefF and O-Simba, margins between ordered classes."""

from evidence.papers.frame import Paper
from evidence.papers.ordinal.noise import Noise
from evidence.papers.ordinal.synthetic import Synthetic
from evidence.papers.ordinal.trees import Trees

PAPER = Paper(
    key="003",
    alias="ordinal",
    authors="Q. Hu, W. Pan, Y. Song, D. Yu",
    title="Large-margin feature selection for monotonic classification",
    where="Knowledge-Based Systems 31, 2012",
    experiments=(Synthetic(), Noise(), Trees()),
    about=(
        "With signed differences both methods rank the monotone feature first; with "
        "absolute differences, as printed, they do not. On real data their gain "
        "over ReliefF and Simba is small, and mostly vanishes once features are "
        "chosen on training rows. That O-ReliefF separates real features from "
        "uniform columns is partly an artefact: directed differences reward a "
        "narrow spread, even with shuffled labels."
    ),
)
