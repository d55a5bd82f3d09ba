"""docs/experiments.md: its tables are between markers, and its text has no measurement of its own.

report.py writes the tables from benchmarks/results, and with --check fails on a difference or on a
number in the text that no article states. For other results, such as those of one experiment,

    python -m benchmarks.experiments.page.document build/experiments/004/*.json --folder build/004

writes the same tables into tables.md, and the pictures beside it.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.experiments.page import articles, clusters, links, numbers, paths, runtime, trees
from benchmarks.experiments.page.pictures import draw_all
from benchmarks.experiments.page.runs import Result, Runs, read, table

Blocks = dict[str, str]

#: Files of results that the page is made of.
PATTERNS = ("*seed-00*.json", "mst-hybrid-*.json")
#: Functions that make blocks of results, in the order of the page.
SECTIONS = (
    paths.bellman_ford,
    paths.floyd_warshall,
    paths.heaps,
    trees.forests,
    clusters.clusters,
    runtime.scaling,
    runtime.steps,
    runtime.parts,
    runtime.groute,
    runtime.worklists,
    links.links,
    links.all_reduce,
)
#: The article of a suite whose name does not begin with its number.
NUMBERS = {"hybrid": "003"}
_MARKED = re.compile(
    r"<!-- (?P<name>.+): begin -->\n(?P<text>.*?)<!-- (?P=name): end -->", re.DOTALL
)


def committed(folder: Path) -> list[Result]:
    """Return the results of experiments in a folder."""
    return read({path for pattern in PATTERNS for path in folder.glob(pattern)})


def blocks(results: Sequence[Result]) -> Blocks:
    """Return every table of the page by the name of its markers."""
    runs = Runs()
    made: Blocks = {"articles": cited(), **runtime.quoted()}
    for section in SECTIONS:
        made |= section(results, runs)
    return made | {"runs": runs.table()}


def cited() -> str:
    """Return a table of the articles."""
    rows = [[a.number, a.citation, a.machine] for a in articles.ARTICLES.values()]
    return table(["number", "article", "measured on"], rows, text=3)


def insert(text: str, made: Blocks) -> str:
    """Return the page with these blocks between its markers; each block has its place."""
    named = [match["name"] for match in _MARKED.finditer(text)]
    if wrong := sorted(set(named) ^ set(made)) or [n for n in named if named.count(n) > 1]:
        raise SystemExit(f"docs/experiments.md: markers and tables differ: {', '.join(wrong)}")

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        return f"<!-- {name}: begin -->\n\n{made[name]}\n\n<!-- {name}: end -->"

    return _MARKED.sub(block, text)


def problems(text: str) -> list[str]:
    """Return what is wrong with the text between the tables."""
    return numbers.unknown(_MARKED.sub("", text))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write tables and pictures of the results on the command line."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+", help="results of experiments")
    parser.add_argument("--folder", type=Path, default=Path("build/experiments"))
    options = parser.parse_args(arguments)
    results = read(options.results)
    options.folder.mkdir(parents=True, exist_ok=True)
    numbers_of = {NUMBERS.get(result["suite"], result["suite"][5:8]) for result in results}
    shown = [
        f"## {name}\n\n{text}"
        for name, text in blocks(results).items()
        if text.count("\n") > 1 and (name == "runs" or name[:3] in numbers_of)
    ]
    path = options.folder / "tables.md"
    path.write_text("\n\n".join(shown) + "\n", encoding="utf-8")
    print("\n\n".join(shown))
    print(f"\n{path}")
    for picture in draw_all(results, options.folder):
        print(picture)


if __name__ == "__main__":
    main()
