"""Keeps the descriptions of options that many functions have equal in all docstrings.

    python scripts/docstrings/option_docs.py [--check | --write] [folder]

Docstrings are literal, so that editors and type checkers show them. `OPTIONS` of option_texts.py
has what they say of each option: an entry of a section "Parameters" has the type of one of the
variants, and begins with its text. What is particular to a function follows in further sentences.
An entry may also refer to another function: "As for `sssp`."

With ``--write``, an entry that resembles a variant gets its type and text, and sentences after it
stay. Other entries are printed, for a person to decide, and the command fails. ``--check``, the
default, prints all entries that differ and writes nothing.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from option_texts import OPTIONS, Variant

PACKAGE = Path(__file__).parents[2] / "python" / "warpgraph"
MAX_COLUMNS = 100
#: Similarity, from 0 to 1, from which on an entry is meant to be a variant.
RESEMBLES = 0.7

_SECTION = re.compile(r"^( *)(Parameters|Other Parameters)\n *-+\n", re.MULTILINE)
_ENTRY = re.compile(r"(?P<name>\w+) : (?P<kind>.+)")
_REFERENCE = re.compile(r"As for `[\w.]+`[.,;]( |$)")
_SENTENCE_END = re.compile(r"\.(?= |$)")
_MARKED = re.compile(r"``.+?``|`.+?`|\([^()]{1,12}\)")


class Entry(NamedTuple):
    """The description of an option, in the lines ``first .. last - 1`` of a file, from 0 on."""

    name: str
    kind: str
    text: str
    first: int
    last: int
    indent: str


def entries_of(source: str) -> Iterator[Entry]:
    """Yield the entries of options in the docstrings of a module that state a type."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or not ast.get_docstring(node):
            continue
        literal = node.body[0]
        first, last = literal.lineno - 1, literal.end_lineno or literal.lineno
        block = "\n".join(lines[first:last])
        for section in _SECTION.finditer(block):
            start = first + block.count("\n", 0, section.end())
            yield from _entries(lines, start, last, section[1])


def _entries(lines: list[str], start: int, end: int, indent: str) -> Iterator[Entry]:
    """Yield the entries of a section that begins at a line."""
    at = start
    while at < end and lines[at].startswith(indent) and lines[at][len(indent) :].strip():
        last = at + 1
        while last < end and (lines[last].startswith(indent + " ") or not lines[last].strip()):
            last += 1
        body = lines[at + 1 : last]
        while body and not body[-1].strip():
            body.pop()
        head = _ENTRY.fullmatch(lines[at].strip())
        if head and head["name"] in OPTIONS:
            text = " ".join(" ".join(body).split())
            yield Entry(head["name"], head["kind"], text, at, at + 1 + len(body), indent)
        if len(body) < last - at - 1 and "".join(lines[last : last + 1]).strip():
            return  # after an empty line, another section begins
        at = last


def pattern_of(variant: Variant) -> re.Pattern[str]:
    """Return what the entries of a variant match: its text, where a word in braces is any words."""
    parts = re.split(r"\{\w+\}", variant.text)
    return re.compile("[^.;]+?".join(map(re.escape, parts)) + r"( |$)")


def variant_of(name: str, kind: str, text: str) -> Variant | None:
    """Return the variant that an entry is of, if it is one of the option's."""
    found = (v for v in OPTIONS[name] if kind in v.kinds and pattern_of(v).match(text))
    return max(found, key=lambda v: len(v.text), default=None)


def is_known(name: str, kind: str, text: str) -> bool:
    """Return whether an entry is of a variant, or refers to another function."""
    return bool(_REFERENCE.match(text)) or variant_of(name, kind, text) is not None


def resembled(entry: Entry) -> tuple[str, str] | None:
    """Return the type and the text of the variant that an entry resembles, if there is one."""
    ends = [match.end() for match in _SENTENCE_END.finditer(entry.text)]
    best, found = RESEMBLES, None
    for variant in OPTIONS[entry.name]:
        kind = entry.kind if entry.kind in variant.kinds else variant.kinds[0]
        if pattern_of(variant).match(entry.text):
            return kind, entry.text
        for end in ends if "{" not in variant.text else ():
            ratio = difflib.SequenceMatcher(None, variant.text, entry.text[:end]).ratio()
            if ratio > best:
                best, found = ratio, (kind, variant.text + entry.text[end:])
    return found


def lines_of(entry: Entry, kind: str, text: str) -> list[str]:
    """Return the lines of an entry; no line ends between backticks or within short brackets."""
    kept = _MARKED.sub(lambda match: match[0].replace(" ", "\0"), text)
    deeper = entry.indent + "    "
    wrapped = textwrap.wrap(
        kept, MAX_COLUMNS - len(deeper), break_long_words=False, break_on_hyphens=False
    )
    body = [deeper + line.replace("\0", " ") for line in wrapped]
    return [f"{entry.indent}{entry.name} : {kind}", *body]


def rewritten(source: str) -> str:
    """Return a module in which entries that resemble a variant have its type and text."""
    lines = source.splitlines()
    for entry in sorted(entries_of(source), key=lambda e: e.first, reverse=True):
        if is_known(entry.name, entry.kind, entry.text) or not (found := resembled(entry)):
            continue
        lines[entry.first : entry.last] = lines_of(entry, *found)
    return "\n".join(lines) + "\n"


def unknown(source: str) -> list[tuple[int, str]]:
    """Return the entries of a module that are of no variant, as (line, sentence)."""
    return [
        (entry.first + 1, f"{entry.name} : {entry.kind}: {entry.text}")
        for entry in sorted(entries_of(source), key=lambda e: e.first)
        if not is_known(entry.name, entry.kind, entry.text)
    ]


def main() -> None:
    """Check the docstrings of the package or of another folder, or with --write correct them."""
    folders = [Path(word) for word in sys.argv[1:] if not word.startswith("--")] or [PACKAGE]
    found = []
    for file in sorted(folders[0].rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        if "--write" in sys.argv[1:] and (text := rewritten(source)) != source:
            file.write_text(text, encoding="utf-8")
            source = text
        found += [f"{file}:{line}: {what}" for line, what in unknown(source)]
    print("\n".join(found), end="\n" if found else "")
    if found:
        raise SystemExit(
            f"{len(found)} descriptions of options differ from those in "
            "scripts/docstrings/option_texts.py: option_docs.py --write corrects small deviations"
        )


if __name__ == "__main__":
    main()
