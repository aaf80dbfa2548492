"""What to read next: put below the docstrings of the API reference.

Each public class or function names its kin, and the page that explains it. Names are
checked: one that does not exist is a dead link, which ends the build.
"""

from sphinx.application import Sphinx

W, B, E, D = (
    "widemargin",
    "widemargin.baselines",
    "widemargin.evaluation",
    "widemargin.datasets",
)
ALSO = {  # name: kin, page
    f"{W}.AutoSelector": (
        f"{E}.compare {E}.relevance {E}.signal",
        "answer",
    ),
    f"{W}.Relief": (f"{W}.ReliefF {W}.MultiSURF {W}.Simba", "algorithms/relief"),
    f"{W}.ReliefF": (
        f"{W}.RReliefF {W}.OReliefF {W}.MultiSURF {W}.TuRF",
        "algorithms/relieff",
    ),
    f"{W}.SURF": (f"{W}.SURFStar {W}.MultiSURF {W}.ReliefF", "algorithms/surf"),
    f"{W}.SURFStar": (f"{W}.SURF {W}.MultiSURFStar", "algorithms/surf"),
    f"{W}.MultiSURF": (
        f"{W}.MultiSURFStar {W}.SURF {W}.ReliefF",
        "algorithms/multisurf",
    ),
    f"{W}.MultiSURFStar": (f"{W}.MultiSURF {W}.SURFStar", "algorithms/multisurf"),
    f"{W}.RReliefF": (
        f"{W}.ReliefF {W}.MultiSURF {B}.FRegression",
        "algorithms/rrelieff",
    ),
    f"{W}.MarginScaler": (
        f"{W}.Simba {W}.IRelief {W}.MarginPrototypes",
        "guides/metric",
    ),
    f"{W}.MarginPrototypes": (f"{W}.MarginScaler {W}.Simba", "guides/metric"),
    f"{W}.Simba": (f"{W}.OSimba {W}.GFlip {W}.IRelief {W}.LMBA", "algorithms/simba"),
    f"{W}.GFlip": (f"{W}.Simba {B}.FCBF {W}.margin.evaluation", "algorithms/gflip"),
    f"{W}.LMBA": (f"{W}.Simba {W}.IRelief", "algorithms/lmba"),
    f"{W}.IRelief": (f"{W}.ReliefF {W}.Simba", "algorithms/irelief"),
    f"{W}.KernelRFE": (
        f"{W}.ReliefF {W}.TuRF {W}.IRelief {B}.ForestImportance",
        "algorithms/kernel_rfe",
    ),
    f"{W}.TuRF": (f"{W}.KernelRFE {W}.ReliefF {W}.MultiSURF", "algorithms/turf"),
    f"{W}.IPCMSR": (f"{W}.IPICSR {W}.FRLL {B}.LaplacianScore", "algorithms/ipcmsr"),
    f"{W}.IPICSR": (f"{W}.IPCMSR {B}.FisherScore", "algorithms/ipcmsr"),
    f"{W}.FRLL": (f"{W}.IPCMSR {B}.LaplacianScore", "algorithms/frll"),
    f"{W}.OReliefF": (
        f"{W}.OSimba {W}.ReliefF {E}.RankingTree",
        "algorithms/orelieff",
    ),
    f"{W}.OSimba": (f"{W}.OReliefF {W}.Simba {E}.rank_loss", "algorithms/osimba"),
    f"{W}.Selection": (f"{W}.ReliefF", "guides/deploying"),
    f"{W}.warm": (f"{W}.methods", "first-minutes"),
    f"{D}.append_noise": (f"{D}.make_xor {E}.significance", "algorithms/orelieff"),
    f"{B}.FisherScore": (f"{B}.TraceRatio {B}.PearsonScore", "algorithms/baselines"),
    f"{B}.TraceRatio": (f"{B}.FisherScore", "algorithms/baselines"),
    f"{B}.PearsonScore": (f"{B}.FisherScore", "algorithms/baselines"),
    f"{B}.ForestImportance": (f"{W}.ReliefF {W}.AutoSelector", "which-method"),
    f"{B}.InformationGain": (
        f"{B}.MutualInformation {B}.MRMR {B}.FCBF",
        "algorithms/baselines",
    ),
    f"{B}.MutualInformation": (
        f"{B}.InformationGain {B}.FRegression",
        "algorithms/baselines",
    ),
    f"{B}.MRMR": (f"{B}.FCBF {B}.InformationGain", "algorithms/baselines"),
    f"{B}.FCBF": (f"{B}.MRMR {W}.GFlip", "algorithms/baselines"),
    f"{B}.LaplacianScore": (f"{W}.FRLL {B}.FeatureSimilarity", "algorithms/baselines"),
    f"{B}.FeatureSimilarity": (
        f"{E}.redundancy {B}.LaplacianScore",
        "algorithms/baselines",
    ),
    f"{B}.FRegression": (f"{W}.RReliefF {B}.MutualInformation", "algorithms/baselines"),
    f"{E}.compare": (f"{W}.AutoSelector {W}.reporting.report", "answer"),
    f"{E}.relevance": (f"{E}.significance {W}.AutoSelector", "answer"),
    f"{E}.selection_curve": (
        f"{W}.plotting.SelectionCurveDisplay {E}.compare",
        "guides/pipelines",
    ),
    f"{E}.signal": (f"{E}.relevance {E}.compare", "guides/wide"),
    f"{E}.significance": (f"{E}.relevance {E}.resample", "guides/wide"),
    f"{E}.resample": (f"{E}.stability {E}.significance", "guides/wide"),
    f"{E}.stability": (f"{E}.resample {E}.agreement", "guides/wide"),
    f"{E}.agreement": (
        f"{E}.stability {W}.plotting.AgreementDisplay",
        "guides/reports",
    ),
    f"{E}.redundancy": (f"{B}.FeatureSimilarity", "guides/wide"),
    f"{E}.interactions": (
        f"{W}.plotting.PairDisplay {W}.plotting.InteractionsDisplay",
        "guides/interactions",
    ),
    f"{E}.hard_rows": (
        f"{W}.plotting.HardRowsDisplay {W}.margin.hypothesis_margins",
        "guides/hard-rows",
    ),
    f"{E}.RankingTree": (f"{E}.rank_loss {W}.OReliefF", "guides/ordered"),
    f"{E}.rank_loss": (f"{E}.RankingTree", "guides/ordered"),
    f"{D}.make_epistasis": (f"{D}.penetrance {W}.MultiSURF", "algorithms/surf"),
    f"{D}.make_xor": (f"{D}.make_epistasis {W}.Simba", "algorithms/simba"),
    f"{D}.make_ordinal": (f"{W}.OReliefF {W}.OSimba", "guides/ordered"),
    f"{W}.margin.hypothesis_margins": (
        f"{W}.margin.sample_margins {W}.margin.evaluation",
        "algorithms/margin",
    ),
    f"{W}.margin.sample_margins": (
        f"{W}.margin.hypothesis_margins",
        "algorithms/margin",
    ),
    f"{W}.margin.evaluation": (
        f"{W}.margin.hypothesis_margins {W}.GFlip",
        "algorithms/margin",
    ),
    f"{W}.margin.lmba_loss": (f"{W}.LMBA {W}.margin.evaluation", "algorithms/lmba"),
    f"{W}.margin.generalization_bound": (
        f"{W}.margin.hypothesis_margins",
        "algorithms/margin",
    ),
    f"{W}.reporting.report": (f"{E}.compare", "guides/reports"),
}

KIN = {name for kin, _ in ALSO.values() for name in kin.split()}


def add(app, what, name, obj, options, lines: list[str]) -> None:
    if name not in ALSO or what not in ("class", "function"):
        return
    kin, page = ALSO[name]
    links = ", ".join(f":py:obj:`~{other}`" for other in kin.split())
    lines += ["", ".. seealso::", "", f"   {links}. Read: :doc:`/{page}`."]


def unknown(app, env, node, contnode):
    """End the build at a name that is not in the reference."""
    if node.get("reftarget") in KIN:
        raise ValueError(f"{node['reftarget']!r} is not in the API reference")


def setup(app: Sphinx) -> dict:
    app.connect("autodoc-process-docstring", add, priority=950)
    app.connect("missing-reference", unknown)
    return {"parallel_read_safe": True}
