"""Checks rules of this repository that no other tool checks; prints violations and fails.

    python scripts/check_layout.py [root]

Each check reads one file and yields (line, sentence). The imports of all modules of Python, and the
includes of all files of C++, are checked together. docs/architecture.md gives the reasons.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import cpu_only_includes
from python_layers import check_python, circles_of

Findings = Iterator[tuple[int, str]]

#: Layers from the lowest to the highest: a file includes files of its own layer and of lower ones.
LAYERS = ("core", "graph", "primitives", "runtime", "algorithms", "plan", "warpgraph", "bindings")
CPP = {".cpp", ".hpp", ".cu", ".cuh"}
#: Folders of C++ that the same rules hold for.
SOURCES = ("csrc", "experiments")
FOLDERS = (*SOURCES, "python", "tests", "benchmarks", "scripts", "cmake")
TEXT = CPP | {".py", ".pyi", ".cmake", ".txt", ".ipynb"}

MAX_FILE_LINES = 450
MAX_BINDING_LINES = 80
MAX_FUNCTION_LINES = 80
MAX_COLUMNS = 100
MAX_FOLDER_FILES = 15

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include\s+["<]([^">]+)[">]', re.MULTILINE)
_COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL
)
_FORBIDDEN = {
    r"\b(?:std::)?(?:printf|fprintf|puts|putchar)\s*\(": "a library prints nothing",
    r"\bstd::(?:cout|cerr|clog)\b": "a library prints nothing",
    r"\b(?:std::)?(?:exit|_Exit|quick_exit|abort|terminate)\s*\(": "a library ends no process",
    r"\bcudaMallocManaged\b": "memory has one owner on one device: no managed memory",
    r"\busing\s+namespace\s+std\b": "names of the standard library keep their std::",
}
_UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")


def blank(match: re.Match[str]) -> str:
    """Replace a comment or string by blanks, so that positions do not change."""
    return re.sub(r"[^\n]", " ", match.group())


def line_of(text: str, position: int) -> int:
    """Return the line number of a position."""
    return text.count("\n", 0, position) + 1


def layer_of(path: Path) -> str | None:
    """Return the layer of a file below csrc/; bind*.cpp of an algorithm is in "bindings"."""
    parts = path.parts
    if len(parts) < 3 or parts[0] != "csrc" or parts[1] not in LAYERS:
        return None
    return "bindings" if path.name.startswith("bind") else parts[1]


def algorithm_of(path: Path) -> str | None:
    """Return the algorithm that a file below csrc/algorithms/ belongs to."""
    return path.parts[2] if path.parts[:2] == ("csrc", "algorithms") else None


def check_includes(path: Path, text: str, root: Path) -> Findings:
    """Includes point down and exist; only files for nvcc include CUDA language headers."""
    layer = layer_of(path)
    if layer is None:
        return
    algorithm = algorithm_of(path)
    contract = layer == "algorithms" and path.name == f"{algorithm}.hpp"
    for match in _INCLUDE.finditer(text):
        line, target = line_of(text, match.start()), Path(match.group(1))
        if target.parts[0] == "experiments":
            yield line, f"the library includes nothing of the laboratory, not {target}"
        below = layer_of("csrc" / target)
        if below is not None:
            if LAYERS.index(below) > LAYERS.index(layer):
                yield line, f"{layer} includes {target}: an arrow that points up"
            other = algorithm_of("csrc" / target)
            if other not in (None, algorithm) and target.name != f"{other}.hpp":
                yield line, f"{target} belongs to {other}: include its contract {other}.hpp only"
            if not (root / "csrc" / target).exists():
                yield line, f"there is no csrc/{target}"
        if (
            target.suffix == ".cuh"
            and "core/cuda" in str(target)
            and path.suffix
            in {
                ".cpp",
                ".hpp",
            }
        ):
            yield line, f"{target} needs nvcc: only .cu and .cuh files include it"
        if contract and (str(target).startswith(("core/cuda/", "cuda", "cub/"))):
            yield line, f"a contract header includes no CUDA header, not even {target}"


def check_calls(path: Path, text: str, root: Path) -> Findings:
    """No file of C++ prints or ends the process; only core/threads/parallel uses OpenMP."""
    if path.parts[0] not in SOURCES or path.suffix not in CPP:
        return
    code = _COMMENT_OR_STRING.sub(blank, text)
    for pattern, reason in _FORBIDDEN.items():
        for match in re.finditer(pattern, code):
            yield line_of(code, match.start()), f"{match.group().strip(' (')}: {reason}"
    if "algorithms" in path.parts and (at := code.find("cudaDeviceSynchronize")) >= 0:
        yield line_of(code, at), "an algorithm waits for its stream, not for the device"
    if path.parts[1:-1] == ("core", "threads") and path.stem == "parallel":
        return
    for match in re.finditer(r"#\s*pragma\s+omp|\bomp_\w+|<omp\.h>", code):
        yield line_of(code, match.start()), "only core/threads/parallel uses OpenMP"


#: Names of machines in code, the folder that may have them, and why no other does.
_FOR_ONE_MACHINE = (
    (
        r"\b__(?:x86_64|aarch64|ARM_NEON|AVX\w*)__\b|<(?:[a-z]mm|arm_)\w+\.h>|\b__builtin_(?:cpu|ia32)_",
        ("core", "processor"),
        "core/processor alone asks for a processor",
    ),
    (
        r"\b__(?:linux|APPLE|gnu_linux)__\b|<(?:sys/\w+|sched|dlfcn|mach/\w+)(?:\.h)?>",
        ("core",),
        "core alone asks for an operating system",
    ),
)


def check_machines(path: Path, text: str, root: Path) -> Findings:
    """Code for one kind of processor, or for one operating system, has a place."""
    if path.parts[0] not in SOURCES or path.suffix not in CPP:
        return
    for pattern, folder, sentence in _FOR_ONE_MACHINE:
        if path.parts[1 : 1 + len(folder)] == folder:
            continue
        for match in re.finditer(pattern, text):
            yield line_of(text, match.start()), f"{match.group()}: {sentence}"


def check_spans(path: Path, text: str, root: Path) -> Findings:
    """Spans that nvcc reads name their items' type.

    nvcc writes deduced types into signatures as traits that are built into the compiler, such as
    __remove_reference(...). GCC 13 and later do not take them there.
    """
    if path.parts[0] not in {*SOURCES, "tests"} or path.suffix not in CPP - {".cpp"}:
        return
    code = _COMMENT_OR_STRING.sub(blank, text)
    for match in re.finditer(r"\bstd::span\s*[({]|\bstd::span\s+\w+\s*[({=]", code):
        yield line_of(code, match.start()), "std::span without a type: std::span<const T>(...)"


def check_tuned(path: Path, text: str, root: Path) -> Findings:
    """Kernels that differ between architectures are among those that are compiled for each."""
    settings = root / "cmake" / "cuda.cmake"
    if path.parts[0] not in SOURCES or path.suffix not in CPP or not settings.exists():
        return
    tuned = re.search(r'set\(tuned_kernels "(.+)"\)', settings.read_text(encoding="utf-8"))
    if tuned and re.search(tuned[1], f"/{path.as_posix()}"):
        return
    code = _COMMENT_OR_STRING.sub(blank, text)
    # Below 800 is no code but that of wheels, which is made for each architecture.
    for match in re.finditer(
        r"<cub/|\b__CUDA_ARCH__(?! < 800\b) *[<>=]|\b__vi(?:add)?(?:min|max)\w*", code
    ):
        yield (
            line_of(code, match.start()),
            f"{match.group()} differs between architectures: name the file in cmake/cuda.cmake",
        )


def check_shape(path: Path, text: str, root: Path) -> Findings:
    """Files and lines are short, headers have a guard, no work is marked as unfinished."""
    lines = text.splitlines()
    is_binding = path.name.startswith("bind") and path.suffix == ".cpp"
    limit = MAX_BINDING_LINES if is_binding else MAX_FILE_LINES
    way_out = ""
    if path.suffix == ".pyi":  # make stub writes it, with every function of the core
        limit = 4 * MAX_FILE_LINES
        way_out = " of check_layout.py for what make stub writes: raise it if the core has grown"
    if len(lines) > limit and path.suffix not in {".ipynb", ".json"}:
        yield limit, f"the file has {len(lines)} lines; {limit} are the limit{way_out}"
    if path.suffix in CPP:
        for number, line in enumerate(lines, 1):
            if len(line) > MAX_COLUMNS:
                yield number, f"the line has {len(line)} columns; {MAX_COLUMNS} are the limit"
    if path.suffix in {".hpp", ".cuh"} and "#pragma once" not in lines:
        yield 1, "a header needs #pragma once"
    for match in _UNFINISHED.finditer(text):
        yield line_of(text, match.start()), f"{match.group()}: finish the work or remove the mark"


#: A doc comment that begins with one of these is a fragment, or refers to the comment before.
_FRAGMENT = re.compile(
    r"(?:After|Also|And|As|At|Because|Before|Below|Beside|Between|Both|But|By|During|Else|Fewer|For"
    r"|From|How|If|In|It|Its|Larger|Less|Longer|More|Not|Nothing|Of|On|Only|Or|Others|Otherwise"
    r"|Since|Smaller|So|Than|That|The same|Their|Them|There|These|They|This|Those|To|Until|What"
    r"|When|Where|Whether|Which|While|Who|Whoever|Whose|Why|With|Without)\b"
)
_DOC_COMMENT = re.compile(r"^([ \t]*)///(?:.*\n\1///)*.*", re.MULTILINE)
#: A comment that refers back, or shows a value without a word that says what it is.
_REFERENCE = re.compile(r"\(|Does the same\b")
#: A verb in the third person. Plural nouns pass, too.
_VERB = re.compile(r"[A-Z]\w*s\b(?!')")
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>;{}]*>")
#: Declarations up to "(", without attributes: of functions, except constructors; and of constants.
_FUNCTION = re.compile(
    r"(?![^;{}=()]*\b(?:class|concept|enum|struct|typedef|union|using)\b)[^;{}=()]*\w[\s*&]+\w+\("
)
_CONSTANT = re.compile(r"[^;{}=()]*\bconstexpr\b[^;{}=()]*[={]")
_PREFIX = re.compile(
    r"^\s*#.*|\b(?:alignas|__attribute__|__launch_bounds__|requires)\s*\([^()]*\)"
    r"|\b(?:constexpr|explicit|inline|static|template|__device__|__host__|WARPGRAPH_HOST_DEVICE)\b",
    re.MULTILINE,
)


def kind_of_declaration(code: str) -> str:
    """Return "function", "constant" or "" for what a text of C++ begins with."""
    code = _COMMENT_OR_STRING.sub(blank, code)
    while (shorter := _TEMPLATE_ARGUMENTS.sub("", code)) != code:
        code = shorter
    if _CONSTANT.match(code):
        return "constant"
    return "function" if _FUNCTION.match(_PREFIX.sub("", code)) else ""


def check_comments(path: Path, text: str, root: Path) -> Findings:
    """Doc comments begin with a noun or a verb, and end with a full stop."""
    if path.parts[0] not in SOURCES or path.suffix not in CPP:
        return
    for match in _DOC_COMMENT.finditer(text):
        comment = re.sub(r"\s*///<?\s*", " ", match.group()).strip()
        if first := _FRAGMENT.match(comment):
            sentence = f"a doc comment begins with a noun or a verb, not with {first.group()}"
            yield line_of(text, match.start()), sentence
        elif not comment.rstrip(")").endswith((".", ":")):
            yield line_of(text, match.end()), "a doc comment ends with a full stop"
        elif first := _REFERENCE.match(comment):
            sentence = f"a doc comment says what the thing is, without {first.group()} first"
            yield line_of(text, match.start()), sentence
        elif not match.group().lstrip().startswith("///<"):
            kind = kind_of_declaration(text[match.end() : match.end() + 1000])
            if kind == "function" and not _VERB.match(comment):
                yield line_of(text, match.start()), "a function's doc comment begins with a verb"
            if kind == "constant" and comment.startswith("Returns "):
                yield line_of(text, match.start()), "a constant returns nothing: say what it is"


def docs_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a Python file and its comments that begin with #:, by line."""
    for node in ast.walk(ast.parse(text)):
        is_documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        if is_documented and (found := ast.get_docstring(node)):
            yield node.body[0].lineno, found
    for match in re.finditer(r"^([ \t]*)#: (.*(?:\n\1#:.*)*)", text, re.MULTILINE):
        yield line_of(text, match.start()), match[2]


def check_docstrings(path: Path, text: str, root: Path) -> Findings:
    """Docstrings and doc comments of Python begin with a noun or a verb, too."""
    if path.suffix != ".py" or path.parts[0] not in {"python", "scripts", "benchmarks"}:
        return
    for line, found in docs_of(text):
        if first := _FRAGMENT.match(found):
            yield line, f"a docstring begins with a noun or a verb, not with {first.group()}"


def check_functions(path: Path, text: str, root: Path) -> Findings:
    """No Python function is longer than a screen and a half."""
    if path.suffix != ".py":
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            # Docstrings do not count: numpydoc is long but easy to read.
            length -= len((ast.get_docstring(node, clean=False) or "").splitlines())
            if length > MAX_FUNCTION_LINES:
                yield node.lineno, f"{node.name} has {length} lines of code"


def check_results(path: Path, text: str, root: Path) -> Findings:
    """Benchmark results have the format that the report reads."""
    if path.parts[:2] != ("benchmarks", "results") or path.suffix != ".json":
        return
    sys.path.insert(0, str(Path(__file__).parent.parent))
    try:
        from benchmarks.result_format import problems
    finally:
        sys.path.pop(0)
    try:
        result = json.loads(text)
    except json.JSONDecodeError as error:
        yield error.lineno, f"not JSON: {error.msg}"
        return
    yield from ((1, sentence) for sentence in problems(result))
    if isinstance(result, dict) and result.get("dirty"):
        yield 1, "measured with uncommitted changes, so not reproducible"


CHECKS = (
    check_includes,
    check_calls,
    check_machines,
    check_spans,
    check_tuned,
    check_shape,
    check_comments,
    check_docstrings,
    check_functions,
    check_results,
)


def check_folders(root: Path) -> list[str]:
    """Return the folders that hold too many files of C++ and Python."""
    files = [file for folder in FOLDERS for file in (root / folder).rglob("*")]
    counts = Counter(file.parent for file in files if file.suffix in CPP | {".py"})
    return [
        f"{folder.relative_to(root)}: {n} files; {MAX_FOLDER_FILES} are the limit"
        for folder, n in sorted(counts.items())
        if n > MAX_FOLDER_FILES
    ]


def check_include_circles(root: Path) -> list[str]:
    """Return the files of csrc that include each other, directly or through others."""
    csrc = root / "csrc"
    files = [file for file in sorted(csrc.rglob("*")) if file.suffix in CPP]
    includes = {file.relative_to(csrc).as_posix(): {} for file in files}
    for name, targets in includes.items():
        text = (csrc / name).read_text(encoding="utf-8")
        for match in _INCLUDE.finditer(text):
            if match[1] in includes:
                targets.setdefault(match[1], line_of(text, match.start()))
    return [
        f"csrc/{name}:1: a circle of includes with {', '.join(sorted(circle - {name})) or 'itself'}"
        for circle in circles_of(includes)
        for name in sorted(circle)
    ]


def check(root: Path) -> list[str]:
    """Return everything below `root` that breaks a rule, as path:line: sentence."""
    found = [*check_folders(root), *check_python(root), *cpu_only_includes.check(root)]
    found += check_include_circles(root)
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            wanted = file.suffix in TEXT or file.parent.name == "results"
            if not wanted or not file.is_file() or file.name.startswith("."):
                continue
            path, text = file.relative_to(root), file.read_text(encoding="utf-8")
            for inspect in CHECKS:
                found += [f"{path}:{line}: {what}" for line, what in inspect(path, text, root)]
    return found


def main() -> None:
    """Check the tree named on the command line, or the one that contains this script."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent
    found = check(root)
    print("\n".join(found))
    if found:
        raise SystemExit(f"{len(found)} violations of the rules")


if __name__ == "__main__":
    main()
