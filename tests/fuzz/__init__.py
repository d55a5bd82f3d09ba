"""Random calls of every public function, compared with oracles that share no code with ours.

    python -m fuzz --minutes 5          from the folder tests; see --help

A case is a graph or points, and calls with it. It is derived from a seed and its number alone, so
`--seed S --case I` runs it again. If a result differs, the case is reduced as long as it still
differs, and printed as code.

    weights, structures    random graphs: their weights, and their edges
    cases                  a case as data, its execution, and the equivalent code
    oracles                slow answers in plain Python, SciPy and NetworkX
    targets                a class for each public function: draws options, judges results
    shrink, worker, driver reduce a failing case; run cases; distribute them over processes
"""
