"""O-ReliefF and O-Simba: feature selection for ordered classes.

Reference
---------
Q. Hu, W. Pan, Y. Song, D. Yu, *Large-margin feature selection for monotonic
classification*, Knowledge-Based Systems 31, 2012, algorithms 4 and 5.
"""

from widemargin.selectors.ordinal.orelieff import OReliefF
from widemargin.selectors.ordinal.osimba import OSimba

__all__ = ["OReliefF", "OSimba"]
