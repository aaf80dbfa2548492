"""Relief and ReliefF."""

from widemargin.algorithms.relief.relief import Relief
from widemargin.algorithms.relief.relieff import ReliefF

__all__ = ["Relief", "ReliefF"]
