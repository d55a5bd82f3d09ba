"""Regret of "auto": its time beside that of the best way that can be named, from bench_regret.py.

python -m benchmarks.interface.regret benchmarks/results/regret-*.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks import result_format

#: Shorter calls, in seconds, are left out: there, planning itself counts.
SHORTEST = 3e-4
#: Cases with more regret are shown one by one.
NOTABLE = 1.3


def regrets(result: dict) -> list[tuple[float, str, str]]:
    """Return (regret, case, the best way) of each case that is long enough, largest first."""
    found = []
    for measurement in result["measurements"]:
        medians = measurement["medians"]
        best = min(medians, key=lambda name: medians[name])
        if medians[best] >= SHORTEST:
            regret = medians[measurement["ours"]] / medians[best]
            found.append((regret, measurement["case"], best))
    return sorted(found, reverse=True)


def main() -> None:
    """Print the quantiles of each file, and the notable cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    for file in parser.parse_args().files:
        found = regrets(result_format.load(file))
        if not found:
            continue
        median, late = np.quantile([regret for regret, *_ in found], [0.5, 0.95])
        print(f"{file.name}: {len(found)} calls, regret {median:.2f} in the median, {late:.2f} at")
        print(f"the 95th percentile, {found[0][0]:.2f} at worst")
        for regret, case, best in found:
            if regret > NOTABLE:
                print(f"{regret:8.2f}  {case}: {best}")


if __name__ == "__main__":
    main()
