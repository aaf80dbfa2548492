"""What supports the claims of widemargin; run from a checkout, not in the wheel.

    python -m evidence.papers    the experiments of the five papers, with verdicts
    python -m evidence.truth     answers against known truth
    python -m evidence.study     which method wins where, planned before it was run
    python -m evidence.peers     time, memory and errors beside other packages

`evidence.data` loads public data sets by name. `speed` and `safety` hold scripts that
measure, or provoke, single properties of the package.
"""
