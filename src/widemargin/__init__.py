"""Feature selection, by a wide margin."""

from widemargin._version import __version__
from widemargin.algorithms.relief import Relief, ReliefF
