"""Finds includes of CUDA's headers that a build without a toolkit would meet.

Such a build compiles all .cpp files but those in folders named cuda. What they include, directly or
not, outside of `#if defined(WARPGRAPH_HAS_CUDA)`, must need no toolkit. Where one is installed, its
headers may be found by chance, so that the compiler says nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif|include)\b(.*)$", re.MULTILINE
)
_NEEDS = re.compile(r"\bdefined\((WARPGRAPH_HAS_CUDA|__CUDACC__)\)")
_CUDA = re.compile(r"^(cuda|cub/|thrust/|cooperative_groups|nv)")


def unguarded(text: str) -> list[tuple[int, str]]:
    """Return line and target of each include that is compiled without CUDA."""
    found, with_cuda = [], []
    for match in _DIRECTIVE.finditer(text):
        word, rest = match[1], match[2]
        if word in ("if", "ifdef", "ifndef"):
            needs = word == "if" and "!" not in rest and _NEEDS.search(rest)
            with_cuda.append(bool(needs))
        elif word in ("else", "elif"):
            with_cuda[-1] = False
        elif word == "endif":
            with_cuda.pop()
        elif not any(with_cuda):
            line = text.count("\n", 0, match.start()) + 1
            found.append((line, rest.split("//")[0].strip().strip('"<>')))
    return found


def check(root: Path) -> list[str]:
    """Return a finding for each include of a CUDA header that a build without CUDA meets."""
    csrc, seen, findings = root / "csrc", set(), []
    left = [path for path in csrc.rglob("*.cpp") if "cuda" not in path.parent.parts]
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        for line, target in unguarded(path.read_text()):
            if _CUDA.match(target):
                where = path.relative_to(root)
                findings.append(f"{where}:{line}: builds without CUDA include {target} here")
            elif (csrc / target).is_file():
                left.append(csrc / target)
    return findings
