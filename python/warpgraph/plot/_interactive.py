"""Maps in a browser: a graph with coordinates on the streets of OpenStreetMap."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._graph.graph import Graph
from warpgraph.plot import _map_plot, _picture_arguments

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
    tiles: str | None = "OpenStreetMap",
) -> folium.Map:
    """Return a map to move and zoom in a browser, with the edges of a graph, paths and distances.

    It needs folium: pip install 'warpgraph[maps]'. A notebook shows the map, and
    ``map.save("map.html")`` writes a page, which loads its script and the tiles from the web.

    Parameters
    ----------
    graph : Graph
        A graph with coordinates. They are degrees (longitude, latitude), or metres with `origin`.
    paths : iterable or mapping of array_like
        Paths, each as `shortest_path` returns it: one is ``[path]``. A mapping has their names,
        which the map shows.
    distances : array_like, shape (n_vertices,), optional
        A number for each vertex, by which edges are coloured; see `distances`.
    scores : array_like, shape (n_edges,), optional
        A number for each edge, in place of distances; see `edges`.
    label : str, optional
        The label of the scale, "distance" or "score" by default.
    bands : array_like, shape (k,), optional
        Ascending limits: distances or scores up to the first, the second and so on have one colour,
        and higher ones are grey. By default there are twelve bands of equal width.
    points : mapping, optional
        Names of places, and the vertex of each: ``{"home": 487}``.
    origin : tuple of float, optional
        Latitude and longitude, in degrees, of the point (0, 0), if coordinates are metres to the
        east and to the north. An extent of some hundred kilometres is as good as flat.
    axes : tuple of int
        The columns of the coordinates that lead to the east and to the north.
    tiles : str, optional
        The background that folium draws; None: an empty one, for coordinates of no place on Earth.

    Returns
    -------
    folium.Map

    Raises
    ------
    ImportError
        folium is not installed.
    ValueError
        The graph has no coordinates, they are no degrees and there is no `origin`, there is no such
        vertex, no edge joins two consecutive vertices of a path, or there are distances and scores.
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
    if tiles is not None and not isinstance(tiles, (str, Mapping, folium.TileLayer)):
        raise TypeError(
            "tiles must be the name of a background that folium has, such as 'OpenStreetMap', or "
            f"None, got {validate.shown(tiles)}"
        )
    flat = _map_plot.plane_of(graph, axes)
    places = _degrees(flat, origin, tiles)
    crs = "Simple" if tiles is None and origin is None else "EPSG3857"
    shown = folium.Map(tiles=tiles, crs=crs, prefer_canvas=True, attr="warpgraph")
    if distances is not None and scores is not None:
        raise ValueError("edges have the colours of distances or of scores, not of both")
    if distances is not None:
        _add_coloured(folium, shown, places, _farther(graph, distances), bands, label, "distances")
    elif scores is not None:
        found = _map_plot.highest_once(graph, scores)
        _add_coloured(folium, shown, places, found, bands, label, "scores")
    else:
        _add_edges(folium, shown, graph, places)
    for i, (name, vertices) in enumerate(_picture_arguments.named_paths(graph, paths)):
        if len(vertices):
            color = _map_plot.PATHS[i % len(_map_plot.PATHS)]
            line = folium.PolyLine(
                places[vertices].tolist(), color=color, weight=5, tooltip=_quoted(name)
            )
            line.add_to(shown)
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


def _degrees(flat: Array, origin: tuple[float, float] | None, tiles: str | None) -> Array:
    """Return the latitude and longitude of each vertex, or what takes their place."""
    east, north = flat.astype(np.float64).T
    if origin is not None:
        centre = validate.unmasked(origin, "origin")
        if centre.shape != (2,) or centre.dtype.kind not in "iuf" or not _on_earth(*centre):
            raise ValueError(f"origin must be (latitude, longitude) in degrees, got {origin!r}")
        latitude, longitude = map(float, centre)
        metres = np.radians(1) * _EARTH_RADIUS  # in a degree of a meridian
        north = latitude + north / metres
        east = longitude + east / (metres * np.cos(np.radians(latitude)))
    if tiles is not None and not _on_earth(north, east):
        raise ValueError(
            "the coordinates are no degrees (longitude, latitude): pass origin=(latitude, "
            "longitude) if they are metres, or tiles=None for a map of no place on Earth"
        )
    return np.stack([north, east], axis=1)


def _on_earth(latitude: Any, longitude: Any) -> bool:
    return bool(np.all(np.abs(latitude) <= 90) and np.all(np.abs(longitude) <= 180))


def _add_edges(folium: Any, shown: Any, graph: Graph, places: Array) -> None:
    row, col = _map_plot.edges_once(graph)
    if len(row):
        lines = np.stack([places[row], places[col]], axis=1).tolist()
        folium.PolyLine(lines, color="#8a8a8a", weight=1, opacity=0.8).add_to(shown)


def _farther(graph: Graph, distances: Any) -> tuple[Array, Array, Array, Array]:
    """Return the two ends of each edge, the farther distance, and whether both are reached."""
    values, reached = _map_plot.numbers_of_vertices(graph, distances)
    row, col = _map_plot.edges_once(graph)
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
    limits = None if bands is None else _picture_arguments.ascending(bands, "bands")
    if limits is not None:
        known = known & (values <= limits[-1])
    lines = np.stack([places[row], places[col]], axis=1)
    if not known.all():
        lost = lines[~known].tolist()
        folium.PolyLine(lost, color=_map_plot.ROADS, weight=1).add_to(shown)
    if not known.any():
        return
    values, lines = values[known].astype(np.float64), lines[known]
    _picture_arguments.refuse_wide(values, argument)
    low, high = float(values.min()), float(values.max())
    if limits is None:
        limits = np.linspace(low, high, _COLOURS + 1)[1:]
    shade = np.minimum(np.searchsorted(limits, values), len(limits) - 1)
    shades = [to_hex(c) for c in colormaps["viridis"](np.linspace(0, 1, len(limits)))]
    for i in np.unique(shade).tolist():
        some = lines[shade == i].tolist()
        folium.PolyLine(some, color=shades[i], weight=3).add_to(shown)
    if bands is None:
        LinearColormap(shades, vmin=low, vmax=high, caption=_plain(label)).add_to(shown)
    else:
        legend = _legend(label, limits, shades, all_known=bool(known.all()))
        shown.get_root().html.add_child(folium.Element(legend))


def _legend(label: str, limits: Array, shades: list[str], *, all_known: bool) -> str:
    """Return the legend of bands as HTML."""
    rows = [(shade, f"up to {limit:.4g}") for shade, limit in zip(shades, limits, strict=True)]
    if not all_known:
        rows.append((_map_plot.ROADS, "more, or none"))
    lines = "".join(
        f'<div><span style="display:inline-block;width:1.2em;height:0.7em;background:{shade}">'
        f"</span> {text}</div>"
        for shade, text in rows
    )
    style = (
        "position:fixed;top:1em;right:1em;z-index:1000;padding:0.5em 0.8em;background:white;"
        "color:black;border-radius:4px;box-shadow:0 0 4px #0006;font:14px sans-serif"
    )
    return f'<div style="{style}"><b>{_quoted(label)}</b>{lines}</div>'
