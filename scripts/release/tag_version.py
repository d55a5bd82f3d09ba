"""Tag the version that the package has, once all that names it agrees.

python scripts/release/tag_version.py
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import project_urls

ROOT = Path(__file__).parents[2]


def git(*command: str) -> str:
    """Return what a command of git prints."""
    done = subprocess.run(["git", *command], cwd=ROOT, check=True, text=True, capture_output=True)
    return done.stdout.strip()


def version_of(root: Path) -> str:
    """Return the version in the one place that has it."""
    text = (root / "python" / "warpgraph" / "_version.py").read_text()
    return re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)[0]


def faults(root: Path) -> list[str]:
    """Return what keeps the version from being tagged, but for the state of the checkout."""
    version, found = version_of(root), []
    date = re.search(rf"^## \[{re.escape(version)}\] - (.*)$", _text(root, "CHANGELOG.md"), re.M)
    if date is None:
        found.append(f"CHANGELOG.md has no section ## [{version}] - DATE")
    elif not re.fullmatch(r"\d{4}-\d\d-\d\d", date[1]):
        found.append(f"CHANGELOG.md dates {version} {date[1]!r}, not YYYY-MM-DD")
    if f"\nversion: {version}\n" not in _text(root, "CITATION.cff"):
        found.append(f"CITATION.cff has another version than {version}")
    if f'\n  version: "{version}"\n' not in _text(root, "packaging/conda/recipe.yaml"):
        found.append(f"packaging/conda/recipe.yaml has another version than {version}")
    if project_urls.repository_of(root) is None:
        found.append("pyproject.toml has no [project.urls] with a Repository: see RELEASING.md")
    for name in project_urls.stale(root):
        found.append(
            f"{name} has not the address of [project.urls]: run scripts/release/project_urls.py"
        )
    return found


def _text(root: Path, name: str) -> str:
    return (root / name).read_text()


def main() -> None:
    """Write the tag."""
    version, found = version_of(ROOT), faults(ROOT)
    if git("status", "--porcelain"):
        found.append("the checkout has changes that are not committed")
    if git("tag", "--list", f"v{version}"):
        found.append(f"there is a tag v{version} already")
    if found:
        raise SystemExit("\n".join(f"not tagged: {fault}" for fault in found))
    git("tag", "-a", f"v{version}", "-m", f"warpgraph {version}")
    print(f"tagged v{version}; `git push origin v{version}` releases it")


if __name__ == "__main__":
    main()
