"""Configuration of the documentation site: ``make docs``."""

import re
import shutil
import sys
from pathlib import Path

from docutils import nodes

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "tools"))

import api_pages  # noqa: E402
import pictures  # noqa: E402

import warpgraph  # noqa: E402

project = "warpgraph"
author = "The warpgraph developers"
release = version = warpgraph.__version__
html_title = f"warpgraph {version}"

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["static", "tools", "templates"]
templates_path = ["templates"]

default_role = "autolink"  # `sssp` in a docstring is a link

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 5,
}
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["site.css"]
# Pages without pages below them have no navigation of their own.
html_sidebars = {
    page: []
    for page in (
        *("install", "quickstart", "csgraph", "networkx", "distributed", "from-cugraph"),
        *("from-hdbscan", "runtime", "experiments", "glossary", "references"),
        *("architecture", "testing", "rival-tests"),
    )
}

myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 3

# Notebooks and pages with code run once; what they printed is kept until their code changes.
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE.parent / "build" / "docs" / "executed")
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say types, with shapes
autosummary_generate = [str(HERE / "api" / f"{name}.rst") for name in api_pages.public_modules()]
autosummary_imported_members = True
autosummary_ignore_module_all = False
numpydoc_show_class_members = False
numpydoc_validation_checks = api_pages.VALIDATION
# Private names; fields of tuples and of a dataclass.
numpydoc_validation_exclude = {r"\._", r"\.(Place|Neighbors|DatasetInfo)\."}


def write_pages(app, config):
    """Write what is made from the package: pages of the reference, pictures, the gallery."""
    api_pages.write(HERE / "api")
    pictures.draw_all(HERE / "pictures")
    gallery = HERE / "gallery"
    gallery.mkdir(exist_ok=True)
    for notebook in (HERE.parent / "notebooks").glob("*.ipynb"):
        if (
            copy := gallery / notebook.name
        ).exists() and copy.read_bytes() == notebook.read_bytes():
            continue
        shutil.copy(notebook, copy)


def name_outside_files(app, page, source):
    """Replace links to files of the repository that are no pages by their paths."""

    def shown(link):
        text, target = link.groups()
        if (folder / target).resolve().is_relative_to(HERE):
            return link[0]
        path = (folder / target).resolve().relative_to(HERE.parent)
        return f"`{path}`" if text == str(path) else f"{text} (`{path}`)"

    folder = (HERE / page).parent
    source[0] = re.sub(r"(?<!!)\[([^]]+)\]\((\.\./[^)#]+)\)", shown, source[0])


def describe_figures(app, doctree):
    """Give figures that code has drawn a text for readers who do not see them."""
    for image in doctree.findall(nodes.image):
        if image.get("alt"):
            continue
        parent = image.parent
        while parent is not None and not isinstance(parent, nodes.section):
            parent = parent.parent
        title = parent.next_node(nodes.title).astext() if parent is not None else "this page"
        image["alt"] = f"Figure of the section {title!r}, drawn by the code above it"


def setup(app):
    """Connect to Sphinx before it looks for pages."""
    app.connect("config-inited", write_pages)
    app.connect("source-read", name_outside_files)
    app.connect("doctree-read", describe_figures)
    app.connect("autodoc-skip-member", api_pages.skip_inherited)
