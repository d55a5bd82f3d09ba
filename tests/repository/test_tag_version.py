"""`make tag` refuses a version, or an address of the project, that some file has otherwise."""

import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = (
    "CHANGELOG.md",
    "CITATION.cff",
    "SECURITY.md",
    "pyproject.toml",
    "packaging/conda/recipe.yaml",
    "python/warpgraph/_version.py",
)

if not (ROOT / "packaging").is_dir():
    pytest.skip("not in a checkout", allow_module_level=True)


@pytest.fixture
def tag_version():
    return script("tag_version")


@pytest.fixture
def project_urls():
    return script("project_urls")


def script(name):
    """Return a module of the folder scripts/release."""
    folder = str(ROOT / "scripts" / "release")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(name)


ADDRESS = "https://example.org/owner/warpgraph"


@pytest.fixture
def ready(tmp_path, tag_version, project_urls, monkeypatch):
    """Return a copy of the files that have the version, ready to be tagged."""
    version = tag_version.version_of(ROOT)
    for name in FILES:
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / name).read_text(encoding="utf-8")
        if name == "CHANGELOG.md":
            text = text.replace("not released yet", "2031-01-02")
        place.write_text(text, encoding="utf-8")
    run(project_urls, tmp_path, monkeypatch, ADDRESS)
    assert (tmp_path / "CITATION.cff").read_text(encoding="utf-8").count(version) == 1
    return tmp_path


def run(project_urls, root, monkeypatch, *arguments):
    """Run the script on a copy of the files."""
    monkeypatch.setattr(project_urls, "ROOT", root)
    monkeypatch.setattr(sys, "argv", ["project_urls.py", *arguments])
    project_urls.main()


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


def test_the_address_stands_in_one_table_and_is_written_from_there(
    ready, project_urls, tag_version, monkeypatch
):
    table = (ready / "pyproject.toml").read_text(encoding="utf-8")
    assert table.count("[project.urls]") == 1
    assert table.index("[project.urls]") < table.index("[project.optional-dependencies]")
    assert f'\nIssues = "{ADDRESS}/issues"\n' in table
    security = (ready / "SECURITY.md").read_text(encoding="utf-8")
    assert f"[the repository]({ADDRESS}/security/advisories/new)" in security
    assert f'\nrepository-code: "{ADDRESS}"\n' in (ready / "CITATION.cff").read_text("utf-8")
    assert f"\nabout:\n  repository: {ADDRESS}\n" in (ready / FILES[4]).read_text("utf-8")
    run(project_urls, ready, monkeypatch, "--check")
    moved = "https://example.org/other/graphs"
    (ready / "pyproject.toml").write_text(table.replace(ADDRESS, moved), encoding="utf-8")
    stale = ["SECURITY.md", "CITATION.cff", "packaging/conda/recipe.yaml"]
    assert [fault.split(" has not ")[0] for fault in tag_version.faults(ready)] == stale
    with pytest.raises(
        SystemExit, match=r"SECURITY\.md, CITATION\.cff, .*recipe\.yaml: the address"
    ):
        run(project_urls, ready, monkeypatch, "--check")
    run(project_urls, ready, monkeypatch)
    assert tag_version.faults(ready) == []
    for name in stale:
        text = (ready / name).read_text(encoding="utf-8")
        assert (moved in text, ADDRESS in text) == (True, False)


def test_a_second_address_replaces_the_first_one(ready, project_urls, monkeypatch):
    pages = "https://example.org/pages"
    run(project_urls, ready, monkeypatch, "https://example.org/a/b", "--documentation", pages)
    text = (ready / "pyproject.toml").read_text(encoding="utf-8")
    assert text.count("[project.urls]") == 1
    assert ADDRESS not in text
    assert f'Documentation = "{pages}"' in text
    with pytest.raises(SystemExit):
        run(project_urls, ready, monkeypatch, "example.org")


def test_without_an_address_nothing_is_tagged_and_no_link_is_empty(
    ready, project_urls, tag_version, monkeypatch
):
    path = ready / "pyproject.toml"
    text = project_urls.TABLE.sub("", path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")
    run(project_urls, ready, monkeypatch)
    (fault,) = tag_version.faults(ready)
    assert fault.startswith("pyproject.toml has no [project.urls]")
    security = (ready / "SECURITY.md").read_text(encoding="utf-8")
    assert "draft security advisory of the repository," in " ".join(security.split())


def test_files_have_the_address_of_the_table(project_urls):
    assert project_urls.stale(ROOT) == {}


def test_a_rehearsal_and_a_release_publish_the_same_files():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = dict(re.findall(r"^  (\w+):\n((?:    .*\n|\n)+)", text, re.MULTILINE))
    rehearse, publish = jobs["rehearse"], jobs["publish"]
    assert "repository-url: https://test.pypi.org/legacy/" in rehearse
    assert "test.pypi.org" not in publish
    assert "github.event_name == 'workflow_dispatch'" in rehearse
    assert "startsWith(github.ref, 'refs/tags/v')" in publish
    patterns = [re.findall("pattern: (.*)", job) for job in (rehearse, publish, jobs["sums"])]
    assert patterns[0] == patterns[1] == patterns[2] == ['"{wheels-*,sdist}"']
