"""Public data sets by name: from scikit-learn, a folder of files, or OpenML."""

from evidence.data.loading import list, load
from evidence.data.sets import Sets

__all__ = ["Sets", "list", "load"]
