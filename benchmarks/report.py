"""Writes Markdown tables and a picture from results/*.json.

docs/benchmarks.md gets a row for each kind of work, then each topic with its question, the ratios
to each other program, and the cases in which that is ahead; docs/benchmarks has a page of all cases
for each topic. The README gets the picture of ten kinds of work, and what GPUs gain.

python -m benchmarks.report            # rewrites the text between the markers, and the PNG
python -m benchmarks.report --check    # fails when a document does not show the results
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks import headlines, others, picture
from benchmarks.cluster import row_order_table
from benchmarks.page import topics
from benchmarks.page.cases import threads
from benchmarks.page.measured import Line, machine_name, read
from benchmarks.picture import pyplot, save
from benchmarks.rates import regret

__all__ = ["machine_name", "pyplot", "save", "threads"]

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "figures"
TOPICS = ROOT / "docs" / "benchmarks"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
REGRET = "<!-- regret: begin -->", "<!-- regret: end -->"


def insert(text: str, tables: str, marks: tuple[str, str] = (BEGIN, END)) -> str:
    """Return a document with `tables` between its markers."""
    before, begin, rest = text.partition(marks[0])
    _, end, after = rest.partition(marks[1])
    if not (begin and end):
        raise SystemExit(f"the document has no markers {marks[0]} ... {marks[1]}")
    return f"{before}{begin}\n\n{tables}\n\n{end}{after}"


def page(lines: list[Line], options: argparse.Namespace) -> str:
    """Return what docs/benchmarks.md shows of the results."""
    here = options.page.parent
    figures, folder = (_relative(path, here) for path in (PICTURES, options.topics))
    glance = f"## At a glance\n\n{ABOUT_THE_GLANCE}\n\n{headlines.table(lines)}"
    topics_of_all = topics.overview(lines, figures, folder)
    return f"{glance}\n\n{others.wrapped(others.LEGEND)}\n\n{topics_of_all}"


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def write_topics(options: argparse.Namespace, lines: list[Line]) -> None:
    """Rewrite or check the pages of all cases, and that no other page is in their folder."""
    made = {f"{stem}.md": text for stem, text in topics.documents(lines).items()}
    there = {path.name for path in options.topics.glob("*.md")}
    if options.check:
        old = {name: (options.topics / name).read_text(encoding="utf-8") for name in there}
        if old != made:
            raise SystemExit(
                f"the pages of {options.topics} are not those of results/: run report.py"
            )
        return
    options.topics.mkdir(exist_ok=True)
    for name in there - made.keys():
        (options.topics / name).unlink()
    for name, text in made.items():
        (options.topics / name).write_text(text, encoding="utf-8")


def write_experiments(options: argparse.Namespace) -> None:
    """Rewrite or check the page of experiments, and draw its pictures."""
    from benchmarks.experiments.page import document, pictures

    results = document.committed(options.results)
    if not results:
        return
    path = options.experiments
    old = path.read_text(encoding="utf-8")
    new = document.insert(old, document.blocks(results))
    if found := document.problems(new):
        raise SystemExit(f"{path}: " + "; ".join(found))
    if options.check and new != old:
        raise SystemExit(f"the tables of {path} are not those of results/: run report.py")
    if not options.check:
        path.write_text(new, encoding="utf-8")
        pictures.draw_all(results, PICTURES)


def write_row_order(options: argparse.Namespace) -> None:
    """Rewrite or check the tables of labels that another order of the rows changes."""
    if shown := row_order_table.tables(options.results):
        _write(options.row_order, shown, options.check)


def write_regret(options: argparse.Namespace) -> None:
    """Rewrite or check how far "auto" is from the fastest way."""
    _write(options.regret, regret.section(), options.check, REGRET)


def _write(document: Path, shown: str, check: bool, marks: tuple[str, str] = (BEGIN, END)) -> None:
    old = document.read_text(encoding="utf-8")
    new = insert(old, shown, marks)
    if new == old:
        return
    if check:
        raise SystemExit(f"the tables of {document} are not those of results/: run report.py")
    document.write_text(new, encoding="utf-8")


#: Above the table of all kinds of work.
ABOUT_THE_GLANCE = others.wrapped(
    f"Milliseconds, medians. All rows on cores are of {picture.MACHINE}. The fastest other program "
    "ran on the same machine in the same run; in the last column, programs on CPU cores are marked "
    'by the number of cores, as in "(16 threads)", and all others run on the GPU.'
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Rewrite or check the documents, and draw the picture."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--readme", type=Path, default=ROOT / "README.md")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks.md")
    parser.add_argument("--topics", type=Path, default=TOPICS)
    parser.add_argument("--picture", type=Path, default=PICTURES / "benchmarks.png")
    parser.add_argument("--check", action="store_true", help="change nothing; fail on a difference")
    parser.add_argument("--experiments", type=Path, default=ROOT / "docs" / "experiments.md")
    parser.add_argument("--row-order", type=Path, default=ROOT / "docs" / "how" / "hdbscan.md")
    parser.add_argument("--regret", type=Path, default=ROOT / "docs" / "benchmarks.md")
    options = parser.parse_args(arguments)
    lines = read(options.results)
    write_regret(options)
    write_experiments(options)
    write_row_order(options)
    image = _relative(options.picture, options.readme.parent)
    tables = {options.readme: headlines.readme(lines, image), options.page: page(lines, options)}
    for document, shown in tables.items():
        _write(document, shown, options.check)
    if lines:
        write_topics(options, lines)
    bars = picture.measured(lines)
    if options.check and bars and picture.drawn(options.picture) != picture.description(bars):
        raise SystemExit(f"{options.picture} does not show the results: run report.py")
    if not options.check and bars:
        picture.draw(bars, options.picture)


if __name__ == "__main__":
    main()
