"""Maps in a browser: a graph with coordinates on the streets of OpenStreetMap."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import hints, validate
from warpgraph._arguments.hints import hinted
from warpgraph._graph.graph import Graph
from warpgraph.plot import _map_base, _map_edges, _picture_arguments

if TYPE_CHECKING:
    import folium

Array = npt.NDArray[Any]

_EARTH_RADIUS = 6_371_008.8  # mean, in metres
#: Distances have this many colours: all edges of one colour are one object of the map.
_COLOURS = 12


@hinted
def interactive(
    graph: Graph,
    *,
    paths: Iterable[npt.ArrayLike] | Mapping[str, npt.ArrayLike] = (),
    distances: npt.ArrayLike | None = None,
    scores: npt.ArrayLike | None = None,
    label: str | None = None,
    bands: npt.ArrayLike | None = None,
    points: Mapping[str, Any] | None = None,
    origin: tuple[float, float] | None = None,
    axes: tuple[int, int] = (0, 1),
    tiles: str | Mapping[str, Any] | folium.TileLayer | None = "OpenStreetMap",
) -> folium.Map:
    """Return a map to move and zoom in a browser, with the edges of a graph, paths and distances.

    It needs folium: pip install 'warpgraph[maps]'. A notebook shows the map, and
    ``map.save("map.html")`` writes a page, which loads its script and the tiles from the web.

    Parameters
    ----------
    graph : Graph
        A graph with coordinates. They are degrees (longitude, latitude), or metres with `origin`.
    paths : iterable or mapping of array_like
        Paths, each as `shortest_path` returns it: one is ``[path]``. A mapping has their names. The
        legend has the colour and name of each; those of a list have numbers from 1.
    distances : array_like, shape (n_vertices,), optional
        A number for each vertex, by which edges are coloured; see `distances`.
    scores : array_like, shape (n_edges,), optional
        A number for each edge, in place of distances; see `edges`. Higher ones are wider.
    label : str, optional
        The label of the scale, which should name the unit; by default "distance" or "score".
    bands : array_like, shape (k,), optional
        Ascending limits: distances or scores up to the first, the second and so on have one colour,
        and higher ones are grey. By default, distances have twelve bands of equal width, and scores
        the bands of `edges`.
    points : mapping, optional
        Names of places, and the vertex of each: ``{"home": 487}``.
    origin : tuple of float, optional
        Latitude and longitude, in degrees, of the point (0, 0), if coordinates are metres to the
        east and to the north. An extent of some hundred kilometres is as good as flat.
    axes : tuple of int
        The columns of the coordinates that lead to the east and to the north.
    tiles : str, xyzservices.TileProvider or folium.TileLayer, optional
        The background: a name in ``xyzservices.providers``, such as "OpenTopoMap", or tiles
        with an attribution of their own. The map shows their attribution, as the terms of all
        providers ask, and some ask for a key. None: an empty background, for coordinates of no
        place on Earth.

    Returns
    -------
    folium.Map

    Raises
    ------
    ImportError
        folium is not installed.
    ValueError
        The graph has no coordinates, they are no degrees and there is no `origin`, there is no such
        vertex, no edge joins two consecutive vertices of a path, there are distances and scores, or
        tiles have no attribution or lack a key.
    TypeError
        One path in place of several, or points without names.

    Examples
    --------
    >>> import warpgraph as wg
    >>> streets = wg.datasets.load("helsinki")
    >>> length, route = wg.shortest_path(streets, 0, 2000)
    >>> origin = wg.datasets.info("helsinki").map_origin
    >>> page = wg.plot.interactive(streets, paths=[route], origin=origin)  # doctest: +SKIP
    >>> page.save("route.html")  # doctest: +SKIP
    """
    folium = _folium()
    layer = None if tiles is None else _layer_of(folium, tiles)
    flat = _map_base.plane_of(graph, axes)
    places = _degrees(flat, origin, on_tiles=tiles is not None)
    crs = "Simple" if tiles is None and origin is None else "EPSG3857"
    shown = folium.Map(tiles=layer, crs=crs, prefer_canvas=True)
    if distances is not None and scores is not None:
        raise ValueError("edges have the colours of distances or of scores, not of both")
    if distances is not None:
        _add_coloured(folium, shown, places, _farther(graph, distances), bands, label, "distances")
    elif scores is not None:
        found = _map_edges.highest_once(graph, scores)
        _add_coloured(folium, shown, places, found, bands, label, "scores")
    else:
        _add_edges(folium, shown, graph, places)
    found_paths = _picture_arguments.named_paths(graph, paths)
    _add_paths(folium, shown, places, found_paths, named=isinstance(paths, Mapping))
    for name, vertex in _named_points(points):
        at = places[graph._find_vertex(vertex, "points")].tolist()
        style = {"radius": 6, "color": "#333333", "fill": True}
        folium.CircleMarker(at, tooltip=_quoted(name), **style).add_to(shown)
    if len(places):
        shown.fit_bounds([places.min(axis=0).tolist(), places.max(axis=0).tolist()])
    return shown


def _quoted(text: Any) -> str:
    """Return text as HTML that may stand in a template of Jinja, or in a literal of JavaScript.

    folium puts tooltips into template literals as they are, and renders what it has rendered again.
    """
    return "".join(f"&#{ord(c)};" if c in "`$\\\r{" else c for c in html.escape(str(text)))


def _plain(text: Any) -> str:
    """Return text that is no HTML, where folium quotes it: without what begins a tag of Jinja."""
    return re.sub("{(?=[{%#])", "{\N{WORD JOINER}", str(text))


def _named_points(points: Any) -> list[tuple[str, Any]]:
    if points is None:
        return []
    if not isinstance(points, Mapping):
        raise TypeError(
            "points must map names to vertices, such as {'home': 487}, "
            f"got {validate.shown(points)}"
        )
    return list(points.items())


def _folium() -> Any:
    try:
        import folium
    except ImportError:
        raise ImportError(
            "interactive maps need folium, which is not installed: pip install 'warpgraph[maps]'"
        ) from None
    return folium


def _degrees(flat: Array, origin: tuple[float, float] | None, *, on_tiles: bool) -> Array:
    """Return the latitude and longitude of each vertex, or what takes their place."""
    east, north = flat.astype(np.float64).T
    if origin is not None:
        centre = validate.unmasked(origin, "origin")
        if (
            centre.shape != (2,)
            or centre.dtype.kind not in "iuf"
            or not _map_base.on_earth(*centre)
        ):
            raise ValueError(f"origin must be (latitude, longitude) in degrees, got {origin!r}")
        latitude, longitude = map(float, centre)
        metres = np.radians(1) * _EARTH_RADIUS  # in a degree of a meridian
        north = latitude + north / metres
        east = longitude + east / (metres * np.cos(np.radians(latitude)))
    if on_tiles and not _map_base.on_earth(north, east):
        raise ValueError(
            "the coordinates are no degrees (longitude, latitude): pass origin=(latitude, "
            "longitude) if they are metres, which for a data set is "
            "warpgraph.datasets.info(name).map_origin, or tiles=None for a map of no place on Earth"
        )
    return np.stack([north, east], axis=1)


def _layer_of(folium: Any, tiles: Any) -> Any:
    """Return the background of a map, which has the attribution that its provider asks for."""
    from xyzservices import TileProvider, providers

    if isinstance(tiles, folium.TileLayer):
        return tiles
    if isinstance(tiles, str):
        known = providers.flatten()
        name = "OpenStreetMap.Mapnik" if tiles.lower() == "openstreetmap" else tiles
        try:
            provider = providers.query_name(name)
        except ValueError:
            raise ValueError(
                "tiles must be the name of a provider in xyzservices.providers, such as "
                f"'OpenStreetMap', got {validate.shown(tiles)}{hints.did_you_mean(tiles, known)}; "
                "those at another address need an attribution: xyzservices.TileProvider(name=..., "
                "url=..., attribution=...)"
            ) from None
    elif isinstance(tiles, Mapping) and {"name", "url", "attribution"} <= set(tiles):
        provider = TileProvider(tiles)
    else:
        raise TypeError(
            "tiles must be the name of a background, such as 'OpenStreetMap', an "
            "xyzservices.TileProvider, a folium.TileLayer, or None, "
            f"got {validate.shown(tiles)}"
        )
    if not provider.html_attribution:
        raise ValueError(f"the tiles {provider.name} have no attribution, which the map is to show")
    try:
        return folium.TileLayer(provider)
    except ValueError as lacks:  # a key, which the address has
        keys = ", ".join(f"{key}=..." for key, text in provider.items() if "<insert" in str(text))
        raise ValueError(
            f"the tiles {provider.name} need a key of their provider: "
            f"xyzservices.providers.{provider.name}({keys})"
        ) from lacks


def _add_paths(
    folium: Any, shown: Any, places: Array, paths: list[tuple[str, Array]], *, named: bool
) -> None:
    """Add paths in a colour each, and the legend, which one path without a name does not need."""
    rows = []
    for i, (name, vertices) in enumerate(paths):
        if not len(vertices):
            continue
        color = _map_base.PATHS[i % len(_map_base.PATHS)]
        line = places[vertices].tolist()
        weight = 2.5 * _map_base.width_of_path(i, len(paths))
        folium.PolyLine(line, color=color, weight=weight, tooltip=_quoted(name)).add_to(shown)
        rows.append((color, _quoted(name)))
    if rows and (named or len(rows) > 1):
        _add_legend(folium, shown, "bottom:2em;left:1em", rows)


def _add_edges(folium: Any, shown: Any, graph: Graph, places: Array) -> None:
    row, col = _map_base.edges_once(graph)
    if len(row):
        lines = np.stack([places[row], places[col]], axis=1).tolist()
        folium.PolyLine(lines, color="#8a8a8a", weight=1, opacity=0.8).add_to(shown)


def _farther(graph: Graph, distances: Any) -> tuple[Array, Array, Array, Array]:
    """Return the two ends of each edge, the farther distance, and whether both are reached."""
    values, reached = _map_base.numbers_of_vertices(graph, distances)
    row, col = _map_base.edges_once(graph)
    return row, col, np.maximum(values[row], values[col]), reached[row] & reached[col]


def _add_coloured(
    folium: Any,
    shown: Any,
    places: Array,
    found: tuple[Array, Array, Array, Array],
    bands: npt.ArrayLike | None,
    label: str | None,
    argument: str,
) -> None:
    """Add edges in the colours of their numbers, and the scale."""
    from branca.colormap import LinearColormap
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    row, col, values, known = found
    label = label or argument.removesuffix("s")
    of_edges = argument == "scores"
    limits: Any = None
    if of_edges or bands is not None:
        limits, known = _map_edges.bands_of(values, known, bands)
    lines = np.stack([places[row], places[col]], axis=1)
    if not known.all():
        lost = lines[~known].tolist()
        folium.PolyLine(lost, color=_map_base.ROADS, weight=1).add_to(shown)
    if not known.any():
        return
    values, lines = values[known].astype(np.float64), lines[known]
    _picture_arguments.refuse_wide(values, argument)
    low, high = float(values.min()), float(values.max())
    is_scale = limits is None
    if is_scale:
        limits = np.linspace(low, high, _COLOURS + 1)[1:]
    shade = np.minimum(np.searchsorted(limits, values), len(limits) - 1)
    # As `edges` and `distances` have them.
    cmap, low_end = ("magma_r", 0.1) if of_edges else ("viridis", 0.0)
    places_of_shades = np.linspace(low_end, 1 - low_end, len(limits))
    shades = [to_hex(c) for c in colormaps[cmap](places_of_shades)]
    # Wider lines than on paper, which are on a picture here.
    weights = 2 * _map_edges.widths_of(limits) if of_edges else np.full(len(limits), 3.0)
    for i in np.unique(shade).tolist():
        some = lines[shade == i].tolist()
        folium.PolyLine(some, color=shades[i], weight=float(weights[i])).add_to(shown)
    if is_scale:
        LinearColormap(shades, vmin=low, vmax=high, caption=_plain(label)).add_to(shown)
        return
    rows = [(shade, f"up to {limit:.4g}") for shade, limit in zip(shades, limits, strict=True)]
    if not known.all():
        rows.append((_map_base.ROADS, "more, or none"))
    _add_legend(folium, shown, "top:1em;right:1em", rows, label)


def _add_legend(
    folium: Any, shown: Any, place: str, rows: list[tuple[str, str]], label: str | None = None
) -> None:
    """Add a legend of colours and their texts, which are HTML, at a place of the page."""
    lines = "".join(
        f'<div><span style="display:inline-block;width:1.2em;height:0.7em;background:{color}">'
        f"</span> {text}</div>"
        for color, text in rows
    )
    style = (
        f"position:fixed;{place};z-index:1000;padding:0.5em 0.8em;background:white;"
        "color:black;border-radius:4px;box-shadow:0 0 4px #0006;font:14px sans-serif"
    )
    head = "" if label is None else f"<b>{_quoted(label)}</b>"
    legend = f'<div style="{style}">{head}{lines}</div>'
    shown.get_root().html.add_child(folium.Element(legend))
