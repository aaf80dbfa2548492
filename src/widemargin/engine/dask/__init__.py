"""The engine for rows on the workers of a Dask cluster. No other part imports Dask.

    source       partitions of a Dask collection: labels, types, missing values
    statistics   ranges, means and missing values, partition by partition, and
                 expected differences to missing cells
    encoding     codes of nominal columns and labels, the same ones in all partitions
    build        all of these, to a `DistributedTable`
    table        its blocks of rows, and which rows are in which block
    search       `nearest`: a search in each block, and merges of what these find
    sums         `edge_sums` and its kin: which rows meet where; columns for KernelRFE
    cluster      what a task is and where it runs; monitor: what to say while waiting
    _dask        the names that are imported from Dask; Parquet and CSV as its frames

Everything on a worker can be computed again from the caller's collection: query rows
and edges are sent with the graph, nothing is scattered, and no task is tied to a
worker, whose address is gone when it dies. A worker that dies costs time and nothing
else.
"""
