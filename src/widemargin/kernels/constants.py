"""Constants that several kernels share."""

import numpy as np

EUCLIDEAN, MANHATTAN = 0, 1
LINEAR, SIGMOID, ZERO_ONE = 0, 1, 2
UNIT = 2.0**-24  # unit roundoff of float32
TIE = 1e-10  # distances this close, relatively, are the same distance
CHUNK = 512  # features summed in float32 before the sum is carried on
LINE = 16  # numbers of single precision in a cache line; panels are a multiple of it
NEVER = np.float32(np.inf).view(np.int32)  # the key of a row that is not to be found
MAX_INT64 = np.int64(2**63 - 1)
ROW_BITS = np.int64(2**32 - 1)  # of an entry of a candidate list; those above are a key
