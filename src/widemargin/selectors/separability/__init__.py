"""IPCMSR and IPICSR: spread within prototypes against separation of classes.

References
----------
W. W. Y. Ng, J. Wang, D. S. Yeung, *IPCM separability ratio for supervised feature
selection*, SMC 2009.
D. S. Yeung, J. Wang, W. W. Y. Ng, *IPIC separability ratio for semi-supervised feature
selection*, ICMLC 2009.
"""

from widemargin.selectors.separability.ratios import IPCMSR, IPICSR

__all__ = ["IPCMSR", "IPICSR"]
