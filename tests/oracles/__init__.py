"""Slow, literal twins of the papers' algorithms, to check the package against."""
