"""Compilers and systems that were tried: the tables of docs/install.md.

    python scripts/tested.py GROUP NAME WHERE RESULT

Scripts that try a compiler or a system record their results here, and each run writes the tables
anew. The command records what was tried elsewhere, as on a machine with a GPU.
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "install.md"
RESULTS = ROOT / "docs" / "tools" / "tested.json"
#: The heads of the tables, in the order of the page.
GROUPS = {
    "compilers": ("compiler", "in Debian"),
    "systems": ("system", "what was tried"),
}


def table(group: str, rows: dict[str, dict[str, str]]) -> Iterator[str]:
    """Return the lines of a table."""
    yield f"| {' | '.join(GROUPS[group])} | result | date |\n|---|---|---|---|\n"
    for name, row in rows.items():
        yield f"| {name} | {row['where']} | {row['result']} | {row['date']} |\n"


def record(group: str, name: str, where: str, result: str) -> None:
    """Record a result in place of the last one of this name, and write its table into the page."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    rows = results.setdefault(group, {})
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    rows[name] = {"where": where, "result": result, "date": today}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    begin, end = f"<!-- {group}: begin -->\n", f"<!-- {group}: end -->\n"
    before, _, rest = PAGE.read_text().partition(begin)
    after = rest.partition(end)[2]
    PAGE.write_text(before + begin + "".join(table(group, rows)) + end + after)


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in GROUPS:
        raise SystemExit(__doc__)
    record(*sys.argv[1:])
