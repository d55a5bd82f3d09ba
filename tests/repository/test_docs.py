"""The documentation's pages are reached, have all public names, and their code runs."""

import importlib.util
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import warpgraph as wg

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = ("api", "gallery", "pictures")  # folders that make docs writes
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.relative_to(DOCS).parts[0] not in MADE)


def load_tool(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


api_pages = load_tool("api_pages")
NAMES = {
    f"{module}.{name}": value
    for module, owner in api_pages.public_modules().items()
    for name, value in api_pages.public_names(owner)
}
DOCUMENTED = sorted(
    name
    for name, value in NAMES.items()
    if api_pages.is_own(value) and (inspect.isclass(value) or inspect.isroutine(value))
)


def entries(text):
    """Return the pages that the toctrees of a page lead to, with all that a glob matches."""
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line for tree in trees for line in tree.splitlines() if line and line[0] != ":"]
    found = [re.sub(r".*<(.*)>$", r"\1", line) for line in lines]  # "Title <page>"
    globs = {entry for entry in found if "*" in entry}
    matched = [page for entry in globs for page in sorted(DOCS.glob(f"{entry}.md"))]
    return [entry for entry in found if entry not in globs] + [
        str(page.relative_to(DOCS).with_suffix("")) for page in matched
    ]


def reached(page, found):
    """Add all pages that can be reached from a page."""
    for entry in entries((DOCS / f"{page}.md").read_text(encoding="utf-8")):
        if entry not in found:
            found.add(entry)
            if DOCS / f"{entry}.md" in PAGES:
                reached(entry, found)
    return found


def test_every_page_is_reached_and_exists():
    found = reached("index", {"index"})
    pages = {str(page.relative_to(DOCS).with_suffix("")) for page in PAGES}
    notebooks = {f"gallery/{file.stem}" for file in (ROOT / "notebooks").glob("*.ipynb")}
    expected = pages | notebooks | {"api/all", "api/warpgraph"}
    assert found - expected == set(), "toctrees name pages that are not there"
    assert expected - found == set(), "no toctree of docs/*.md names these pages"


def test_every_public_name_is_in_the_reference():
    written = "".join(api_pages.page(module) for module in api_pages.public_modules().values())
    names = [name for name in wg.__all__ if not inspect.ismodule(getattr(wg, name))]
    modules = [name for name in wg.__all__ if inspect.ismodule(getattr(wg, name))]
    for name in (*names, *(f"warpgraph.{name}" for name in modules)):
        assert f"\n   {name}\n" in written, name
    listed = api_pages.index()
    for name in DOCUMENTED:
        assert f"\n   {name.rpartition('.')[2]}\n" in listed, name
    for module in modules:
        page = api_pages.page(getattr(wg, module))
        for name in getattr(wg, module).__all__:
            listed = f"\n   {name}\n" in page or f"\n   * ``{name}``\n" in page
            assert listed, f"{module}.{name}"


@pytest.mark.parametrize("name", DOCUMENTED)
def test_its_docstring_has_an_example(name):
    summary, _, examples = inspect.getdoc(NAMES[name]).partition("\nExamples\n--------\n")
    assert summary.strip()
    assert ">>> " in examples, f"{name} has no examples"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_its_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)\)", text) if "://" not in link]
    made = [(page.parent / link).resolve() for link in links]
    assert [
        str(file)
        for file in made
        if not file.exists() and file.relative_to(DOCS).parts[0] not in MADE
    ] == []


@pytest.mark.parametrize(
    "page", [*PAGES, *ROOT.glob("*.md"), *ROOT.glob("benchmarks/*.md")], ids=str
)
def test_it_names_nothing_outside_the_repository(page):
    """No folder above the repository: others have no such folder."""
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(next to|beside|outside) (the|this) (repository|checkout)", text)
    for named in re.findall(r"(?:`|\]\()((?:\.\./)+[\w./-]*)", text):
        assert (page.parent / named).resolve().is_relative_to(ROOT.resolve()), named


def test_what_experiments_say_of_tiles_and_the_naive_kernel():
    """Which is faster, in the mean and in every run, by the number of vertices."""
    file = ROOT / "benchmarks" / "results" / "apsp-seed-001-nvidia-h200-2026-11-29.json"
    assert f"`{file.stem}`" in (DOCS / "experiments.md").read_text(encoding="utf-8")
    for measured in json.loads(file.read_text(encoding="utf-8"))["measurements"]:
        n = int(re.search(r"n = (\d+)", measured["case"])[1])
        tiles, naive = (measured["runs"][name] for name in ("warpgraph cuda:0", "GPU, naive"))
        assert (sum(tiles) < sum(naive)) == (n >= 20)
        assert (max(tiles) < min(naive)) == (n >= 200)


def test_the_tests_that_it_names_exist():
    named = re.findall(r"`(test_\w+\.\w+)`", (DOCS / "testing.md").read_text(encoding="utf-8"))
    there = {file.name for file in (ROOT / "tests").rglob("test_*")}
    assert len(named) > 20
    assert set(named) <= there


def test_pictures_of_pages_have_a_text():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"!\[\s*\]\(", text) == [], page
        assert text.count(":img-top:") == text.count(":img-alt:"), page


@pytest.mark.parametrize("page", sorted((DOCS / "how").glob("*.md")), ids=lambda page: page.stem)
def test_an_algorithm_has_a_picture_and_code(page):
    text = page.read_text(encoding="utf-8")
    assert f"(../pictures/{page.stem}.svg)" in text
    assert f"Code: `csrc/algorithms/{page.stem}`." in text
    assert (ROOT / "csrc" / "algorithms" / page.stem).is_dir()


def test_every_picture_is_drawn(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    pictures = load_tool("pictures")
    # draw_walk of docs/tools/pictures.py draws the picture of docs/how/walk.md.
    assert set(pictures.PICTURES) == {page.stem for page in (DOCS / "how").glob("*.md")}
    pictures.draw_all(tmp_path)
    assert {file.stem for file in tmp_path.iterdir()} == set(pictures.PICTURES)


def blocks_of(page):
    """Return the cells of a page; without cells, its other blocks of code."""
    text = page.read_text(encoding="utf-8")
    kind = r"\{code-cell\} ipython3" if "{code-cell}" in text else "python"
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_the_map_of_the_readme_is_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "map.png"
    load_tool("map_picture").draw(picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert (DOCS / "figures" / "helsinki.png").stat().st_size < 300_000


def has_backend(networkx):
    return "warpgraph" in networkx.utils.backends.backends


def test_the_example_of_the_networkx_backend_gives_no_warning(tmp_path):
    networkx = pytest.importorskip("networkx", minversion="3.5")
    if not has_backend(networkx):
        pytest.skip("the backend is not installed")
    example = tmp_path / "example.py"
    example.write_text(blocks_of(DOCS / "networkx.md")[0], encoding="utf-8")
    command = [sys.executable, "-W", "error::UserWarning", str(example)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "page",
    [DOCS / "index.md", *(page for page in PAGES if "{code-cell}" in page.read_text("utf-8"))],
    ids=lambda page: str(page.relative_to(DOCS)),
)
def test_its_code_runs(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    networkx = pytest.importorskip("networkx")
    blocks = blocks_of(page)
    if "plot.interactive(" in "".join(blocks):
        pytest.importorskip("folium")
    for name in re.findall("^import (polars|pyarrow)", "".join(blocks), re.MULTILINE):
        pytest.importorskip(name)
    if 'backend="warpgraph"' in "".join(blocks) and not has_backend(networkx):
        pytest.skip("the backend is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(networkx.config, "warnings_to_ignore", {"cache"})
    scope = {}
    for block in blocks:
        # Lines for the shell are run by make docs alone.
        code = "\n".join(line for line in block.splitlines() if not line.startswith("!"))
        exec(compile(code, str(page), "exec"), scope)


def test_the_check_of_the_site_finds_what_is_wrong(tmp_path):
    spec = importlib.util.spec_from_file_location("check_site", ROOT / "scripts" / "check_site.py")
    check_site = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check_site)
    good = '<html lang="en"><h1 id="top">A</h1><h2>B</h2><a href="b%20c.html#top">c</a></html>'
    (tmp_path / "a.html").write_text(good + '<a href="#top">up</a><a href="https://x.y/z">z</a>')
    (tmp_path / "b c.html").write_text(good)
    assert check_site.problems(tmp_path) == []
    (tmp_path / "b c.html").write_text(
        '<html><h1 id="top">A</h1><h3>B</h3><img src="a.html"><img src="lost.png" alt="x">'
        '<a href="a.html#lost">c</a></html>'
    )
    assert check_site.problems(tmp_path) == [
        "b c.html: lost.png leads nowhere",
        "b c.html: a.html#lost leads nowhere",
        "b c.html: the figure a.html has no text",
        "b c.html: the page does not say its language",
        "b c.html: headings skip a level: [1, 3]",
    ]
