"""Addresses of the project: pyproject.toml has them, and other files get them from there.

python scripts/release/project_urls.py https://github.com/OWNER/warpgraph [--documentation URL]
python scripts/release/project_urls.py          # writes the other files from pyproject.toml again
python scripts/release/project_urls.py --check  # fails if a file has another address
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = re.compile(r"\n\[project\.urls\]\n((?:.+\n)*)")


def repository_of(root: Path) -> str | None:
    """Return the address of the repository, or None while there is none."""
    table = TABLE.search((root / "pyproject.toml").read_text(encoding="utf-8"))
    found = table and re.search(r"^Repository *= *[\"'](.+)[\"']$", table[1], re.MULTILINE)
    return found[1].rstrip("/") if found else None


def with_table(text: str, repository: str, documentation: str | None) -> str:
    """Return pyproject.toml with its table of addresses."""
    urls = {
        "Repository": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
    }
    if documentation:
        urls["Documentation"] = documentation
    table = "\n[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    if TABLE.search(text):
        return TABLE.sub(lambda _: table, text)
    return text.replace(
        "\n[project.optional-dependencies]", f"{table}\n[project.optional-dependencies]"
    )


def _security(text: str, repository: str | None) -> str:
    link = (
        f"[the repository]({repository}/security/advisories/new)"
        if repository
        else "the repository"
    )
    return re.sub(
        r"(draft security advisory of\s)(?:\[the repository\]\([^)]*\)|the repository)",
        lambda found: found[1] + link,
        text,
    )


def _citation(text: str, repository: str | None) -> str:
    text = re.sub(r"^repository-code: .*\n", "", text, flags=re.MULTILINE)
    line = f'repository-code: "{repository}"\n' if repository else ""
    return re.sub(r"^(?=license: )", line, text, flags=re.MULTILINE)


def _recipe(text: str, repository: str | None) -> str:
    text = re.sub(r"^  repository: .*\n", "", text, flags=re.MULTILINE)
    line = f"  repository: {repository}\n" if repository else ""
    return re.sub(r"(?<=\nabout:\n)", line, text)


#: The files that have the address, and what writes it there.
FILES: dict[str, Callable[[str, str | None], str]] = {
    "SECURITY.md": _security,
    "CITATION.cff": _citation,
    "packaging/conda/recipe.yaml": _recipe,
}


def stale(root: Path) -> dict[str, str]:
    """Return the files that have another address, and what they should hold."""
    repository, found = repository_of(root), {}
    for name, write in FILES.items():
        text = (root / name).read_text(encoding="utf-8")
        if (new := write(text, repository)) != text:
            found[name] = new
    return found


def main() -> None:
    """Write or check the addresses."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repository", nargs="?", help="its address, without a name of a branch")
    parser.add_argument("--documentation", help="the address of the documentation")
    parser.add_argument("--check", action="store_true", help="change nothing; fail on a difference")
    options = parser.parse_args()
    if options.repository:
        if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+){2,}", options.repository):
            parser.error(f"{options.repository!r} is no address such as https://HOST/OWNER/NAME")
        path = ROOT / "pyproject.toml"
        text = path.read_text(encoding="utf-8")
        made = with_table(text, options.repository, options.documentation)
        path.write_text(made, encoding="utf-8")
    found = stale(ROOT)
    if options.check and found:
        raise SystemExit(f"{', '.join(found)}: the address is not that of pyproject.toml")
    for name, text in found.items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
