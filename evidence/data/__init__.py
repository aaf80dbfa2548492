"""Public data sets by name: from scikit-learn, a folder of files, or OpenML."""

from evidence.data.loading import list, load

__all__ = ["list", "load"]
