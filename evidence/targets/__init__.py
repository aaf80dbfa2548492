"""Survival times, sets of labels and several numbers: what is found."""
