"""Tables in a form that all CSV parsers read alike: one separator, no comments, no padding.

Parsers differ on input that is not quite CSV, and few tell the line. This module first normalises
or refuses such input, with the number of the line, so that all parsers return the same. A record
ends at the end of a line outside of quotes. Quotes stand around whole fields; a quote within them
is doubled. Comments are lines above the first record that begin with ``#`` or ``%``, or lines
anywhere that begin as callers say.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpgraph._files.text import LONGEST_LINE, Array, Lines, too_long, wrong_line

if TYPE_CHECKING:
    import _csv

#: Blocks read at a time: names are looked up once in each.
_BLOCKS = 2

_QUOTE, _NEWLINE = ord('"'), ord("\n")
# Hidden text: in quotes as x, comments as NUL.
_COMMENT = re.compile(rb"(?m)^[ \t]*[#%][^\n]*")
#: The beginning of a line that is neither blank nor such a comment.
_BEGINS_RECORD = re.compile(rb"(?m)^[^\S\n]*[^\s#%]")
_QUOTED = rb'"[^"]*(?:"|\Z)'
#: Most lines of comments that are kept.
_COMMENTS_KEPT = 1000
#: Three fields between blanks, the last of which has a decimal comma.
_ENDS_IN_DECIMAL_COMMA = re.compile(rb" *[^ ,]+ +[^ ,]+ +[-+]?[0-9]+,[0-9]+ *")
_IN_NUMBERS = b"0123456789+-.eE"


class Records(NamedTuple):
    """Some whole records."""

    path: str
    first_line: int
    separator: str
    text: bytes  #: UTF-8, ends with a line
    hidden: bytes  #: the same with x for what is in quotes

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of the first line and the fields of each record."""
        reader = self.reader()
        number = self.first_line
        for row in reader:
            if row:
                yield number, row
            number = self.first_line + reader.line_num

    def reader(self) -> _csv.Reader:
        """Return Python's csv reader; it treats blank lines as empty records."""
        return csv.reader(io.StringIO(self.text.decode(), newline="\n"), delimiter=self.separator)

    def split_first(self) -> tuple[Records | None, Records]:
        """Return the first record that is not blank, if there is one, and the others."""
        found = re.search(rb"[^\n]+\n", self.hidden)
        if found is None:
            return None, self
        start, end = found.span()
        return self._part(start, end), self._part(end, len(self.text))

    def _part(self, start: int, end: int) -> Records:
        line = self.first_line + self.text.count(b"\n", 0, start)
        return self._replace(
            first_line=line, text=self.text[start:end], hidden=self.hidden[start:end]
        )

    def quoted(self) -> list[bool]:
        """Return which fields of a single record are in quotes."""
        fields = self.hidden.strip(b"\n").split(self.separator.encode())
        return [field.startswith(b'"') for field in fields]

    def _ends_of_fields(self) -> tuple[Array, Array]:
        """Return where each field ends, and which of these ends is the last of each line."""
        codes = np.frombuffer(self.hidden, np.uint8)
        ends = np.flatnonzero((codes == _NEWLINE) | (codes == ord(self.separator)))
        return ends, np.flatnonzero(codes[ends] == _NEWLINE)

    def check_columns(self, n_columns: int, expected: str, advice: str = "") -> None:
        """Refuse a record that has not `n_columns` columns."""
        ends, last = self._ends_of_fields()
        lengths = np.diff(ends[last], prepend=-1) - 1
        bad = np.flatnonzero((lengths > 0) & (np.diff(last, prepend=-1) != n_columns))
        if bad.size:
            end = int(ends[last[bad[0]]])
            record = self._part(end - int(lengths[bad[0]]), end)
            raise record.error(record.first_line, expected, advice)

    def lengths(self) -> Array:
        """Return the bytes of each field, with its quotes: a row for each record."""
        ends, last = self._ends_of_fields()
        is_blank = np.diff(ends[last], prepend=-1) == 1
        lengths = np.delete(np.diff(ends, prepend=-1) - 1, last[is_blank])
        return lengths.reshape(np.count_nonzero(~is_blank), -1)

    def with_points(self, column: int) -> Records | None:
        """Return the records with points for commas in a column, or None if it has points."""
        codes = np.frombuffer(self.text, np.uint8).copy()
        plain = np.frombuffer(self.hidden, np.uint8)
        is_mark = (codes == ord(",")) | (codes == ord("."))
        marks = np.flatnonzero(is_mark & (plain != ord(self.separator)))
        ends = np.flatnonzero(plain == _NEWLINE)
        separators = np.flatnonzero(plain == ord(self.separator))
        # The separators before the record of each mark, and before the mark itself.
        first = np.concatenate([[0], np.searchsorted(separators, ends)])
        before = first[np.searchsorted(ends, marks)]
        marks = marks[np.searchsorted(separators, marks) - before == column]
        if (codes[marks] == ord(".")).any():
            return None
        codes[marks] = ord(".")
        text = codes.tobytes()
        return self._replace(text=text, hidden=text if b'"' not in text else _hide(text))

    def error(self, line: int, expected: str, why: str = "") -> ValueError:
        """Return the exception for the record that begins on a line."""
        start = 0
        for _ in range(line - self.first_line):
            start = self.text.index(b"\n", start) + 1
        end = self.hidden.find(b"\n", start)
        got = self.text[start:] if end < 0 else self.text[start:end]
        if got[:1] in (b"#", b"%"):
            mark = got[:1].decode()
            advice = f"comment={mark!r} leaves out lines that begin with {mark}"
            why = f"{why}; {advice}" if why else advice
        return wrong_line(self.path, line, expected, got.decode(errors="replace"), why)


def records(lines: Lines, decimal: str = ".", comment: str | None = None) -> Iterator[Records]:
    """Yield the rest of a file; its first record determines the separator.

    Lines that begin with `comment` are left out, or none if it is empty; None: those above the
    first record that begin with # or %.
    """
    rest, separator = b"", ""
    chosen = re.compile(rb"(?m)^[ \t]*%b[^\n]*" % re.escape(comment.encode())) if comment else None
    for piece in _ended(lines):
        text = rest + piece
        is_above = comment is None and not separator
        hidden = _hide_above(text) if is_above else _hide(text, chosen)
        end = hidden.rfind(b"\n") + 1
        rest, hidden_rest = text[end:], hidden[end:]
        text, hidden = text[:end], hidden[:end]
        _check_bytes(lines, text)
        if not separator:
            separator = _separator(lines, hidden, decimal)
            lines.comments += _comments_above(text, hidden)
            if len(lines.comments) > _COMMENTS_KEPT:
                lines.comments[_COMMENTS_KEPT:] = lines.comments[-1:]
        if separator and hidden.strip(b"\0 \t\r\n"):
            found = _clean(Records(lines.path, lines.line + 1, separator, text, hidden))
            if comment is None:
                _refuse_marks(found)
            yield found
        lines.line += text.count(b"\n")
        if len(rest) > LONGEST_LINE or (not piece and rest):
            raise _unended(lines, rest, hidden_rest)


def _ended(lines: Lines) -> Iterator[bytes]:
    """Yield pieces, the last of which ends with a line, and an empty one."""
    last = b"\n"
    for piece in lines.pieces(_BLOCKS):
        yield piece
        last = piece[-1:]
    yield b"" if last == b"\n" else b"\n"
    yield b""


def _unended(lines: Lines, text: bytes, hidden: bytes) -> ValueError:
    if b'"' not in hidden or _has_cr_alone(hidden):
        return _endless(lines.path, lines.line + 1, hidden)
    expected = f"a quote to be closed within {LONGEST_LINE} bytes"
    return wrong_line(lines.path, lines.line + 1, expected, text[:200].decode(errors="replace"))


def _has_cr_alone(line: bytes) -> bool:
    """Return whether a CR is in a line; one at its end may be before an LF."""
    return b"\r" in line[:-1]


def _endless(path: str, number: int, hidden: bytes) -> ValueError:
    """Return the exception for a line that is too long, perhaps since lines end in CR alone."""
    return _cr_alone(path, number) if _has_cr_alone(hidden) else too_long(path, number)


def _cr_alone(path: str, number: int) -> ValueError:
    return ValueError(
        f"{path}, line {number}: expected lines that end in LF or CR LF, got a CR alone"
    )


def _hide(text: bytes, comment: re.Pattern[bytes] | None = None) -> bytes:
    """Return the text with x for what is in quotes and NUL for comments."""
    if comment is not None and comment.search(text):
        return re.sub(comment.pattern + b"|" + _QUOTED, _hidden, text)
    if b'"' not in text:
        return text
    codes = np.frombuffer(text, np.uint8)
    is_quote = codes == _QUOTE
    is_inside = np.logical_xor.accumulate(is_quote) & ~is_quote
    return np.where(is_inside, np.uint8(ord("x")), codes).tobytes()


def _hide_above(text: bytes) -> bytes:
    """Return the text of the start of a file, in which comments are above the first record."""
    found = _BEGINS_RECORD.search(text)
    start = len(text) if found is None else found.start()
    return _COMMENT.sub(_hidden, text[:start]) + _hide(text[start:])


def _refuse_marks(found: Records) -> None:
    """Refuse a line such as ``# this`` that would be data with the name #, but may be a comment."""
    if b"#" not in found.hidden and b"%" not in found.hidden:
        return
    mark = re.search(rb"(?m)^[#%%]+(?=[%b\n])" % re.escape(found.separator.encode()), found.hidden)
    if mark is not None:
        line = found.first_line + found.text.count(b"\n", 0, mark.start())
        raise found.error(
            line, f"a vertex, which is in quotes if it is called {mark.group().decode()}"
        )


def _hidden(found: re.Match[bytes]) -> bytes:
    text = found.group()
    if not text.startswith(b'"'):
        return b"\0" * len(text)
    closing = text[-1:] if len(text) > 1 and text.endswith(b'"') else b""
    return b'"' + b"x" * (len(text) - 1 - len(closing)) + closing


def _check_bytes(lines: Lines, text: bytes) -> None:
    """Refuse NUL bytes; comments may be in any encoding."""
    at = text.find(b"\0")
    if at >= 0:
        line = lines.line + 1 + text.count(b"\n", 0, at)
        raise ValueError(f"{lines.path}, line {line}: expected text, got the byte 0x00")


def _check_encoding(found: Records) -> None:
    try:
        if not found.text.isascii():
            found.text.decode()
    except UnicodeDecodeError as problem:
        line = found.first_line + found.text.count(b"\n", 0, problem.start)
        raise ValueError(
            f"{found.path}, line {line}: expected text in UTF-8, got the byte "
            f"0x{found.text[problem.start]:02x}; is the file in Latin-1 or Windows-1252?"
        ) from None


def _separator(lines: Lines, hidden: bytes, decimal: str) -> str:
    """Return the separator of the first record, or an empty string."""
    found = re.search(rb"[^\0\s][^\n]*", hidden)
    if found is None:
        return ""
    start = hidden.rfind(b"\n", 0, found.start()) + 1
    record = hidden[start : found.end()].strip(b"\r\n")
    expected = advice = ""
    if b"\t" in record and _has_numbers_beside_blanks(record):
        if b"\t" not in record.strip(b"\t "):
            return " "
        expected = "fields separated by tabs or by blanks, not both"
        advice = "put names that have a blank in quotes"
    elif b"\t" not in record and b"," in record:
        if decimal == ",":
            return _beside_decimal_commas(record)
        expected, advice = _doubtful_comma(record)
    if expected:
        line = lines.line + 1 + hidden.count(b"\n", 0, start)
        raise wrong_line(lines.path, line, expected, record.decode(errors="replace"), advice)
    return next((mark for mark in "\t,;" if mark.encode() in record), " ")


def _beside_decimal_commas(record: bytes) -> str:
    """Return the separator of a record that has commas, but no tabs."""
    if b";" in record:
        return ";"
    # Else commas separate columns, and weights that have one are in quotes.
    return " " if _ENDS_IN_DECIMAL_COMMA.fullmatch(record) else ","


def _doubtful_comma(record: bytes) -> tuple[str, str]:
    """Return what was expected, and advice, if it is not clear that commas separate columns."""
    if b";" in record:
        expected = "fields separated by commas or by semicolons, not both"
        advice = (
            "put names that have one in quotes, and pass decimal=',' if a comma is a decimal mark"
        )
        return expected, advice
    if _ENDS_IN_DECIMAL_COMMA.fullmatch(record):
        expected = "fields separated by commas or by blanks, not both"
        return expected, "pass decimal=',' if the comma is a decimal mark, else put names in quotes"
    return "", ""


def _comments_above(text: bytes, hidden: bytes) -> list[str]:
    """Return the first lines above the first record, comments and blank ones, and the last."""
    found = re.search(rb"[^\0\s]", hidden)
    end = len(text) if found is None else hidden.rfind(b"\n", 0, found.start()) + 1
    lines = text[: max(end - 1, 0)].split(b"\n", _COMMENTS_KEPT)
    lines[-1] = lines[-1][lines[-1].rfind(b"\n") + 1 :]
    return [line.decode(errors="replace") for line in lines] if end else []


def _has_numbers_beside_blanks(record: bytes) -> bool:
    """Return whether there are only numbers, some separated by blanks."""
    has_blank = any(b" " in field.strip(b" ") for field in record.split(b"\t"))
    return has_blank and not record.translate(None, _IN_NUMBERS + b" \t")


def _clean(found: Records) -> Records:
    """Return the records without comments, blanks around fields and carriage returns."""
    # First, so that long runs of blanks cost no time afterwards.
    _check_lengths(found)
    separator = found.separator.encode()
    if separator == b" " and b"\t" in found.hidden:
        codes = np.frombuffer(found.text, np.uint8).copy()
        codes[np.frombuffer(found.hidden, np.uint8) == ord("\t")] = ord(" ")
        found = found._replace(text=codes.tobytes(), hidden=found.hidden.replace(b"\t", b" "))
    if b'"' not in found.text:
        # Without quotes, the most frequent cases, comments and carriage returns, are removed fast.
        text = found.hidden.translate(None, b"\0").replace(b"\r\n", b"\n")
        found = found._replace(text=text, hidden=text)
    if _has_surplus(found.hidden, separator):
        found = _without(found, _surplus(separator))
    if b"\r" in found.hidden:
        line = found.first_line + found.text.count(b"\n", 0, found.hidden.index(b"\r"))
        raise _cr_alone(found.path, line)
    _check_encoding(found)
    _check_quotes(found)
    return found


def _has_surplus(hidden: bytes, separator: bytes) -> bool:
    """Return whether `_surplus` may find something."""
    if separator == b" ":
        marks = [b"  ", b" \n", b"\n ", b"\r", b"\0"]
        return hidden.startswith(b" ") or any(mark in hidden for mark in marks)
    return any(mark in hidden for mark in (b" ", b"\t", b"\r", b"\0") if mark != separator)


def _surplus(separator: bytes) -> re.Pattern[bytes]:
    """Return the pattern of dropped text: comments, blanks around fields, CR before LF."""
    blank = rb" " if separator in b" \t" else rb"[ \t]"
    blanks = blank + rb"+"
    patterns = [rb"\0+", rb"\r(?=\n)", rb"\A" + blanks, rb"(?<=\n)" + blanks]
    # A match begins at the start of a run of blanks: trying each blank takes quadratic time.
    patterns.append(rb"(?<!" + blank + rb")" + blanks + rb"(?=[\r\n" + separator + rb"])")
    if separator != b" ":
        patterns.append(rb"(?<=" + separator + rb")" + blanks)
    return re.compile(b"|".join(patterns))


def _check_lengths(found: Records) -> None:
    """Refuse a record that Python's csv might not take, blanks and comments included."""
    ends = np.flatnonzero(np.frombuffer(found.hidden, np.uint8) == _NEWLINE)
    lengths = np.diff(ends, prepend=-1)
    if lengths.max(initial=0) > LONGEST_LINE:
        end = int(ends[lengths.argmax()])
        start = end - int(lengths.max()) + 1
        line = found.first_line + found.text.count(b"\n", 0, start)
        raise _endless(found.path, line, found.hidden[start:end])


def _without(found: Records, surplus: re.Pattern[bytes]) -> Records:
    if b'"' not in found.text:
        text = surplus.sub(b"", found.hidden)
        return found._replace(text=text, hidden=text)
    spans = [match.span() for match in surplus.finditer(found.hidden)]
    keep = list(zip([0, *(b for _, b in spans)], [*(a for a, _ in spans), None], strict=True))
    text, hidden = (b"".join(t[a:b] for a, b in keep) for t in (found.text, found.hidden))
    return found._replace(text=text, hidden=hidden)


def _check_quotes(found: Records) -> None:
    """Refuse quotes elsewhere than around whole fields."""
    if b'"' not in found.text:
        return
    codes = np.frombuffer(found.text, np.uint8)
    is_quote = codes == _QUOTE
    is_inside = np.logical_xor.accumulate(is_quote)
    opening, closing = np.flatnonzero(is_quote & is_inside), np.flatnonzero(is_quote & ~is_inside)
    borders = np.array([ord(found.separator), _NEWLINE, _QUOTE], np.uint8)
    is_wrong = [~np.isin(_at(codes, opening - 1), borders), ~np.isin(codes[closing + 1], borders)]
    bad = np.concatenate([opening[is_wrong[0]], closing[is_wrong[1]]])
    if bad.size:
        at = int(bad.min())
        start = found.hidden.rfind(b"\n", 0, at) + 1
        line = found.first_line + found.text.count(b"\n", 0, start)
        raise found.error(line, "quotes around whole fields, and doubled within them")


def _at(codes: Array, positions: Array) -> Array:
    """Return the codes at positions, an end of line at -1."""
    return np.where(positions < 0, _NEWLINE, codes[positions])
