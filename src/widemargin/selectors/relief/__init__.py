"""Relief and ReliefF."""

from widemargin.selectors.relief.relief import Relief
from widemargin.selectors.relief.relieff import ReliefF

__all__ = ["Relief", "ReliefF"]
