"""SURF, SURF*, MultiSURF and MultiSURF*: neighbours within a radius.

References
----------
C. Greene, N. Penrod, J. Kiralis, J. Moore, *Spatially uniform ReliefF (SURF) for
computationally-efficient filtering of gene-gene interactions*, BioData Mining 2, 2009.
C. Greene, D. Himmelstein, J. Kiralis, J. Moore, *The informative extremes: using both
nearest and farthest individuals can improve Relief algorithms in the domain of human
genetics*, EvoBIO 2010 (SURF*).
D. Granizo-Mackenzie, J. Moore, *Multiple threshold spatially uniform ReliefF for the
genetic analysis of complex human diseases*, EvoBIO 2013 (MultiSURF*).
R. Urbanowicz, R. Olson, P. Schmitt, M. Meeker, J. Moore, *Benchmarking relief-based
feature selection methods for bioinformatics data mining*, Journal of Biomedical
Informatics 85, 2018 (MultiSURF).
"""

from widemargin.selectors.surf.selectors import (
    SURF,
    MultiSURF,
    MultiSURFStar,
    SURFStar,
)

__all__ = ["SURF", "MultiSURF", "MultiSURFStar", "SURFStar"]
