"""The tables that notebooks show for graphs and forests."""

from html.parser import HTMLParser

import networkx as nx
import numpy as np

import warpgraph as wg


class Cells(HTMLParser):
    """The texts of a table's cells, and all tags."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.tags = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.texts.append(data)


TAGS = {"table", "caption", "tbody", "tr", "th", "td"}


def test_graphs_have_a_table(town):
    found = Cells(town._repr_html_())
    assert found.tags == TAGS
    expected = ["warpgraph.Graph", "vertices", "20", "edges", "62", "weights", "int32"]
    assert found.texts[:7] == expected
    assert found.texts[7:9] == ["coordinates", "0 to 4, 0 to 3"]
    assert wg.Graph(np.empty((0, 0)))._repr_html_()


def test_forests_have_a_table():
    forest = wg.minimum_spanning_forest(nx.path_graph(1500))
    found = Cells(forest._repr_html_())
    assert found.tags == TAGS
    rows = dict(zip(found.texts[1::2], found.texts[2::2], strict=True))
    assert (rows["vertices"], rows["edges"], rows["trees"]) == ("1,500", "1,499", "1")
    assert rows["names"] == "0, 1, 2, 3, 4, ..."


def test_names_cannot_be_markup():
    names = ["<script>alert('x')</script>", "&amp;", '"']
    found = wg.Graph(np.ones((3, 3)), names=names)._repr_html_()
    assert Cells(found).tags == TAGS
    assert "<script" not in found
    shown = ", ".join(map(repr, names))
    assert shown in "".join(Cells(found).texts)
