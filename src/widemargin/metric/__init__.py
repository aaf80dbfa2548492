"""Distances that margins have learned: scaled features, and prototypes in them."""
