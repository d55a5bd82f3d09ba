"""Maps for a browser: what lies where, without one."""

import html
import json
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest

import warpgraph as wg
from checks import raises_sentence
from warpgraph import plot

folium = pytest.importorskip("folium")
xyzservices = pytest.importorskip("xyzservices")

ORIGIN = (60.172, 24.944)


@pytest.fixture
def town():
    """A grid of 4 x 5 streets of 100 m; vertex v is 100 * (v % 5) m east, 100 * (v // 5) north."""
    graph = wg.generators.grid(4, 5, seed=1, weights=(1, 9))
    return wg.Graph(graph, coordinates=100 * np.stack(np.divmod(np.arange(20), 5)[::-1], axis=1))


class Scripts(HTMLParser):
    """The texts of a page's scripts."""

    def __init__(self, page):
        super().__init__()
        self.texts = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "script":
            self.texts.append("")

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.texts[-1] += data


def lines_of(shown):
    return [child for child in shown._children.values() if isinstance(child, folium.PolyLine)]


def page_of(shown):
    return shown.get_root().render()


def attributions_of(shown):
    """What the page gives Leaflet as the attributions of its tiles."""
    script = Scripts(page_of(shown)).texts[-1]
    assert script.count('"attribution":') == script.count("L.tileLayer(")
    texts = re.findall(r'"attribution": ("(?:[^"\\]|\\.)*")', script)
    return [json.loads(text) for text in texts]


@pytest.fixture
def providers():
    """All tiles by their names, and the names of those that need a key, with what it is called."""
    flat = xyzservices.providers.flatten()
    locked = {}
    for name, tiles in flat.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tiles.build_url()
        except ValueError:
            locked[name] = {key for key, text in tiles.items() if "<insert" in str(text)}
    return flat, locked


def test_tiles_have_their_attribution(providers):
    """Of every provider, as its terms ask: the text that it wants is in the page."""
    corner = wg.Graph(np.zeros((1, 1)), coordinates=[[24.9, 60.2]])
    flat, locked = providers
    assert len(flat) - len(locked) > 100
    for name in flat.keys() - locked:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "CartoDB tiles now require")
            shown = plot.interactive(corner, tiles=name)
        assert attributions_of(shown) == [flat[name].html_attribution], name
    for name in ("OpenStreetMap", "openstreetmap", "OpenStreetMap Mapnik"):
        (found,) = attributions_of(plot.interactive(corner, tiles=name))
        assert found == flat["OpenStreetMap.Mapnik"].html_attribution
        assert "openstreetmap.org/copyright" in found
    assert attributions_of(plot.interactive(corner)) == [found]
    assert attributions_of(plot.interactive(corner, tiles=None)) == []


def test_tiles_that_need_a_key(town, providers):
    flat, locked = providers
    for name, keys in locked.items():
        with raises_sentence(ValueError, f"the tiles {name} need a key of their provider"):
            plot.interactive(town, tiles=name, origin=ORIGIN)
        opened = flat[name](**dict.fromkeys(keys, "0123"))
        shown = plot.interactive(town, tiles=opened, origin=ORIGIN)
        assert attributions_of(shown) == [opened.html_attribution]


def test_tiles_of_other_places(town):
    own = {"name": "own", "url": "https://a.b/{z}/{x}/{y}.png", "attribution": "&copy; <i>me</i>"}
    for tiles in (
        own,
        xyzservices.TileProvider(own),
        folium.TileLayer(own["url"], attr=own["attribution"]),
    ):
        assert attributions_of(plot.interactive(town, tiles=tiles, origin=ORIGIN)) == [
            own["attribution"]
        ]
    with raises_sentence(ValueError, "the tiles own have no attribution"):
        plot.interactive(town, tiles=own | {"attribution": ""}, origin=ORIGIN)
    for tiles in (own["url"], "Stamen Toner"):
        with raises_sentence(ValueError, "xyzservices.TileProvider(name=", f"got {tiles!r}"):
            plot.interactive(town, tiles=tiles, origin=ORIGIN)
    with raises_sentence(ValueError, "got 'OpenTopMap'; did you mean 'OpenTopoMap'?"):
        plot.interactive(town, tiles="OpenTopMap", origin=ORIGIN)
    for tiles in ({"url": own["url"]}, xyzservices.providers.OpenStreetMap):
        with raises_sentence(TypeError, "tiles must be the name of a background"):
            plot.interactive(town, tiles=tiles, origin=ORIGIN)


def legends_of(shown):
    """The rows of each legend: colours and texts."""
    found = re.findall(r'<div style="position:fixed[^>]*>(.*?)</div></div>', page_of(shown), re.S)
    row = r"background:(#[0-9a-f]{6})\"></span> (.*?)(?:</div>|\Z)"
    return [
        [(color, html.unescape(text)) for color, text in re.findall(row, legend)]
        for legend in found
    ]


def test_several_paths_have_a_legend(town):
    _, found = wg.k_shortest_paths(town, 0, 19, 3)
    named = {"a < b": found[0], "none": [], "`{{ c }}`": found[1]}
    for paths, names in (
        (named, ["a < b", "`{{ c }}`"]),
        (found, ["1", "2", "3"]),
        ({"1": found[0]}, ["1"]),
    ):
        shown = plot.interactive(town, paths=paths, origin=ORIGIN)
        _, *lines = lines_of(shown)
        colors = [line.options["color"] for line in lines]
        assert len(set(colors)) == len(lines)
        assert legends_of(shown) == [list(zip(colors, names, strict=True))]
        widths = [line.options["weight"] for line in lines]
        assert widths == sorted(set(widths), reverse=True)
    for paths in ((), [found[0]], {"none": []}):
        assert legends_of(plot.interactive(town, paths=paths, origin=ORIGIN)) == []
    loads = wg.edge_betweenness_centrality(town)
    both = legends_of(plot.interactive(town, paths=found, scores=loads, origin=ORIGIN))
    assert sorted(map(len, both)) == [3, 4]


def test_scores_have_the_bands_and_widths_of_pictures(town):
    loads = wg.edge_betweenness_centrality(town)
    shown = plot.interactive(town, scores=loads, origin=ORIGIN)
    lines = lines_of(shown)
    once = np.sort(loads[np.less(*town.to_edges()[:2])])
    limits = np.unique(np.quantile(once, [0.5, 0.8, 0.95, 0.99, 1], method="inverted_cdf"))
    counts = np.diff(np.searchsorted(once, limits, side="right"), prepend=0)
    assert [len(line.locations) for line in lines] == counts.tolist()
    widths = [line.options["weight"] for line in lines]
    assert widths == sorted(set(widths))
    (legend,) = legends_of(shown)
    assert [text for _, text in legend] == [f"up to {limit:.4g}" for limit in limits]
    assert [color for color, _ in legend] == [line.options["color"] for line in lines]


def test_edges_lie_where_their_metres_are(town):
    (edges,) = lines_of(plot.interactive(town, origin=ORIGIN))
    assert len(edges.locations) == town.n_edges // 2
    at = np.array(edges.locations).reshape(-1, 2)
    metres = np.radians(at - ORIGIN) * 6_371_008.8 * [1, np.cos(np.radians(ORIGIN[0]))]
    found = {tuple(row) for row in np.round(metres[:, ::-1], 3).tolist()}
    assert found == {tuple(row) for row in town.coordinates.tolist()}


def test_degrees_need_no_origin(town):
    town = wg.Graph(town, coordinates=town.coordinates / 1e5 + [24.9, 60.1])
    (edges,) = lines_of(plot.interactive(town))
    assert np.ptp(np.array(edges.locations).reshape(-1, 2), axis=0) == pytest.approx([3e-3, 4e-3])


def test_paths_and_places_have_names(town):
    named = wg.Graph(town, names=[f"v{i}" for i in range(20)])
    _, paths = wg.k_shortest_paths(named, "v0", "v19", 2)
    shown = plot.interactive(
        named,
        paths={"first": paths[0], "<second>": paths[1], "none": []},
        points={"home": "v0"},
        origin=ORIGIN,
    )
    _, first, second = lines_of(shown)
    assert len(first.locations) == len(paths[0])
    assert first.options["color"] != second.options["color"]
    page = page_of(shown)
    assert "first" in page
    assert "home" in page
    assert len(re.findall("circleMarker", page)) == 1
    assert len(lines_of(plot.interactive(named, paths=paths, origin=ORIGIN))) == 3


#: Names that end a string, a literal or a script, or stand for a value of one.
ODD_NAMES = [
    "`",
    "</script>",
    "${1}",
    "\\",
    "\\`",
    "a\nb",
    "{{ 1 }}",
    "{%",
    "{#",
    "'",
    '"',
    "<b>&amp;",
    7,
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_names_are_text_whatever_is_in_them(town, name):
    shown = plot.interactive(
        town, paths={name: [0, 1]}, points={name: 3}, label=str(name), origin=ORIGIN
    )
    script = Scripts(page_of(shown)).texts[-1]
    literals = re.findall(r"bindTooltip\(\s*`<div>(.*?)</div>`,", script, re.S)
    assert len(literals) == 2
    for literal in literals:
        assert not set(literal) & set("`$\\<")
        assert html.unescape(literal).strip() == str(name)


def test_labels_are_text_whatever_is_in_them(town):
    far = wg.sssp(town, 0)
    for name in map(str, ODD_NAMES):
        shown = plot.interactive(town, distances=far, label=name, origin=ORIGIN)
        (text,) = re.findall(r"\.text\((\".*\")\);", Scripts(page_of(shown)).texts[-1])
        assert json.loads(text).replace("\N{WORD JOINER}", "") == name
        shown = plot.interactive(town, distances=far, bands=[99], label=name, origin=ORIGIN)
        (text,) = re.findall("<b>(.*?)</b>", page_of(shown), re.S)
        assert html.unescape(text) == name


def test_distances_are_colours(town):
    far = wg.sssp(town, 7, limit=9)
    shown = plot.interactive(town, distances=far, label="minutes", origin=ORIGIN)
    lost, *bands = lines_of(shown)
    row, col, _ = town.to_edges()
    inside = np.isfinite(far[row]) & np.isfinite(far[col]) & (row < col)
    assert sum(len(band.locations) for band in bands) == inside.sum()
    assert len(lost.locations) == town.n_edges // 2 - inside.sum()
    assert len({band.options["color"] for band in bands}) == len(bands) > 2
    assert "minutes" in page_of(shown)
    nothing = plot.interactive(town, distances=np.full(20, np.inf), origin=ORIGIN)
    assert len(lines_of(nothing)) == 1
    equal = plot.interactive(town, distances=np.ones(20), origin=ORIGIN)
    assert len(lines_of(equal)) == 1


def test_places_that_are_not_on_earth(town):
    with raises_sentence(ValueError, "are no degrees (longitude, latitude): pass origin="):
        plot.interactive(town)
    assert "L.CRS.Simple" in page_of(plot.interactive(town, tiles=None))
    for origin in ((91, 0), (1, 2, 3), ("a", "b")):
        with raises_sentence(ValueError, "origin must be (latitude, longitude) in degrees"):
            plot.interactive(town, origin=origin)
    with raises_sentence(ValueError, "the graph has no coordinates"):
        plot.interactive(wg.Graph(town.to_csr()))
    empty = wg.Graph(np.empty((0, 0)), coordinates=np.empty((0, 2)))
    assert not lines_of(plot.interactive(empty, origin=ORIGIN))


def test_scores_are_colours_in_bands(town):
    loads = wg.edge_betweenness_centrality(town, directed=False)
    limits = np.quantile(loads, [0.5, 0.8])
    shown = plot.interactive(town, scores=loads, bands=limits, label="a load < 1", origin=ORIGIN)
    lost, low, high = lines_of(shown)
    row, col, _ = town.to_edges()
    once = loads[row < col]
    assert len(low.locations) == (once <= limits[0]).sum()
    assert len(high.locations) == ((once > limits[0]) & (once <= limits[1])).sum()
    assert len(lost.locations) == (once > limits[1]).sum()
    page = page_of(shown)
    assert "a load &lt; 1" in page
    assert all(f"up to {limit:.4g}<" in page for limit in limits)
    assert "more, or none" in page
    assert len(lines_of(plot.interactive(town, scores=loads, origin=ORIGIN))) > 2
    equal = plot.interactive(town, scores=np.ones(town.n_edges), origin=ORIGIN)
    assert len(lines_of(equal)) == 1
    with raises_sentence(ValueError, "of distances or of scores, not of both"):
        plot.interactive(town, scores=loads, distances=wg.sssp(town, 0), origin=ORIGIN)


def test_distances_in_bands(town):
    far = wg.sssp(town, 0)
    lost, near = lines_of(plot.interactive(town, distances=far, bands=[9], origin=ORIGIN))
    row, col, _ = town.to_edges()
    inside = (np.maximum(far[row], far[col]) <= 9) & (row < col)
    assert len(near.locations) == inside.sum()
    assert len(lost.locations) == town.n_edges // 2 - inside.sum()


def test_one_path_in_place_of_several(town):
    _, route = wg.shortest_path(town, 0, 19)
    named = wg.Graph(town, names=[f"v{i}" for i in range(20)])
    corners = wg.Graph(town, names=list(zip(*np.divmod(np.arange(20), 5), strict=True)))
    for graph, path in (
        (town, route),
        (town, route.tolist()),
        (town, iter(route.tolist())),
        (named, ["v0", "v1"]),
        (corners, [(0, 0), (0, 1)]),
    ):
        with raises_sentence(TypeError, "must be a list or mapping of paths, got one", "[path]"):
            plot.interactive(graph, paths=path, origin=ORIGIN)
    for graph, paths in (
        (town, [route]),
        (town, (route.tolist(),)),
        (town, np.array([[0, 1], [1, 2]])),
        (town, iter([[0, 1], []])),
        (corners, [[(0, 0), (0, 1)]]),
        (corners, [((0, 0), (0, 1))]),
    ):
        assert len(lines_of(plot.interactive(graph, paths=paths, origin=ORIGIN))) >= 2
    with raises_sentence(ValueError, "no edge joins paths[1][0], which is 0, and paths[1][1]"):
        plot.interactive(town, paths=[[0, 1], [0, 7]], origin=ORIGIN)
    with raises_sentence(ValueError, "no edge joins paths['way'][0], which is 0"):
        plot.interactive(town, paths={"way": [0, 7]}, origin=ORIGIN)


def test_points_without_names(town):
    with raises_sentence(TypeError, "map names to vertices, such as {'home': 487}, got [7]"):
        plot.interactive(town, points=[7], origin=ORIGIN)
    assert "circleMarker" not in page_of(plot.interactive(town, points={}, origin=ORIGIN))


def test_arguments_that_are_none(town):
    for paths in (3, None):
        with raises_sentence(TypeError, "paths must be a list or mapping of paths", f"got {paths}"):
            plot.interactive(town, paths=paths, origin=ORIGIN)
    for tiles in (5, True):
        with raises_sentence(TypeError, "tiles must be", "'OpenStreetMap'", f"got {tiles}"):
            plot.interactive(town, tiles=tiles, origin=ORIGIN)
    wide = np.repeat([-1.7e308, 1.7e308], town.n_edges // 2)
    with raises_sentence(
        ValueError, "scores must be in -4.49e+307..4.49e+307", "from -1.7e+308 to 1.7e+308"
    ):
        plot.interactive(town, scores=wide, origin=ORIGIN)
    with raises_sentence(
        ValueError, "distances must be in -4.49e+307", "from -1.7e+308 to 1.7e+308"
    ):
        plot.interactive(town, distances=wide[[-1] * 10 + [0] * 10], origin=ORIGIN)
