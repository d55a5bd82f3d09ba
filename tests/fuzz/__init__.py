"""Random calls of every public function, compared with oracles that share no code with ours.

    python -m fuzz --minutes 5          from the folder tests; see --help

A case is a graph or points, and calls with it. It is derived from a seed and its number alone, so
`--seed S --case I` runs it again. Where a result differs, the case is made smaller as long as it
still does, and printed as code.

    weights, structures    random graphs: what they weigh, and how they are joined
    cases                  a case as data, how it runs, and the code that does the same
    oracles                slow answers in plain Python, SciPy and NetworkX
    targets                a class for each public function: draws options, judges results
    shrink, worker, driver make a failing case small; run cases; share them out to processes
"""
