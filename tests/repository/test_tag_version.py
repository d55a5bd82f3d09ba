"""`make tag` refuses a version that some file has otherwise."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = (
    "CHANGELOG.md",
    "CITATION.cff",
    "pyproject.toml",
    "packaging/conda/recipe.yaml",
    "python/warpgraph/_version.py",
)

if not (ROOT / "packaging").is_dir():
    pytest.skip("not in a checkout", allow_module_level=True)


@pytest.fixture
def tag_version():
    path = ROOT / "scripts" / "tag_version.py"
    spec = importlib.util.spec_from_file_location("tag_version", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def ready(tmp_path, tag_version):
    """Return a copy of the files that have the version, ready to be tagged."""
    version = tag_version.version_of(ROOT)
    for name in FILES:
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / name).read_text(encoding="utf-8")
        if name == "CHANGELOG.md":
            text = text.replace("not released yet", "2031-01-02")
        if name == "pyproject.toml" and "[project.urls]" not in text:
            text += "\n[project.urls]\nRepository = 'https://example.org'\n"
        place.write_text(text, encoding="utf-8")
    assert (tmp_path / "CITATION.cff").read_text(encoding="utf-8").count(version) == 1
    return tmp_path


def test_a_version_that_all_files_have(ready, tag_version):
    assert tag_version.faults(ready) == []


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CITATION.cff", "packaging/conda/recipe.yaml"])
def test_a_file_with_another_version_is_named(name, ready, tag_version):
    place = ready / name
    version = tag_version.version_of(ROOT)
    place.write_text(place.read_text(encoding="utf-8").replace(version, "9.9.9"), encoding="utf-8")
    (found,) = tag_version.faults(ready)
    assert found.startswith(f"{name} has ")
    assert version in found
