"""The caller's table, read once, and the table that the methods see.

| file | what |
| --- | --- |
| `dataset.py` | `Dataset`: the caller's table as numbers and codes, and parts of it |
| `frames.py`, `kinds.py`, `numbers.py` | frames, kinds of columns, codes |
| `labels.py`, `targets.py` | class codes, or numbers to predict |
| `refuse.py`, `quality.py` | what is refused, and what may not be what it seems |
| `build.py` | scaling: from a dataset to a `Table` |
| `table.py`, `protocol.py` | `Table`, and what it has in common with one on a cluster |
| `sparse.py` | `SparseTable`, of which only the cells other than 0 are stored |
| `mixed.py` | nominal features and missing values in a table |
"""
