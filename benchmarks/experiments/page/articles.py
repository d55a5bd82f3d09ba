"""The articles that experiments repeat, and every number of theirs that docs/experiments.md quotes.

Nothing here was measured by this project. Tables are copied as they stand in the articles; numbers
of their text are in QUOTES, with the place where they stand. page.py makes tables of them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Article:
    """An article: who wrote it, where it is, and the machine that it measured."""

    number: str
    authors: str
    title: str
    published: str
    link: str
    machine: str

    @property
    def citation(self) -> str:
        authors = f"{self.authors}, " if self.authors else ""
        return f"{authors}[*{self.title}*]({self.link}), {self.published}"


ARTICLES = {
    article.number: article
    for article in (
        Article(
            "000",
            "",
            "Implementation of the SSSP algorithm on a GPU",
            "in Russian (Реализация алгоритма SSSP на GPU), habr.com",
            "https://habr.com/ru/search/?target_type=posts&q=%D0%A0%D0%B5%D0%B0%D0%BB%D0%B8%D0%B7%D0"
            "%B0%D1%86%D0%B8%D1%8F%20%D0%B0%D0%BB%D0%B3%D0%BE%D1%80%D0%B8%D1%82%D0%BC%D0%B0%20SSSP"
            "%20%D0%BD%D0%B0%20GPU",
            "NVIDIA GTX Titan; one core of an Intel Core i7 of the third generation, 3.4 GHz",
        ),
        Article(
            "001",
            "Zhang Lingjie and Zhao Ying",
            "Research of parallel APSP on GPU",
            "in Chinese (基于 GPU 的并行 APSP 问题的研究), Electronic Design Engineering 20 (17), "
            "2012, pages 15 to 18, article 1674-6236(2012)17-0015-04",
            "https://scholar.google.com/scholar?q=%22Research+of+parallel+APSP+on+GPU%22",
            "NVIDIA Tesla M2050; one core of an Intel Xeon E5620, 2.4 GHz",
        ),
        Article(
            "002",
            "Crosetto",
            "CUPQ: a CUDA implementation of a priority queue applied to the many-to-many shortest "
            "path problem",
            "program and description, GitHub",
            "https://github.com/crosetto/cupq",
            "NVIDIA M1200 and GeForce GTX 1050 Mobile; one core of an Intel Core i7-7820HQ",
        ),
        Article(
            "003",
            "Kolganov",
            "Hybrid implementation of the MST algorithm using CPU and GPU",
            "in Russian, habr.com, with a description of clustering by spanning trees and by "
            "k-means",
            "https://habr.com/en/articles/253031/",
            "NVIDIA GTX Titan; six cores of an Intel Xeon E5 v1660, 3.7 GHz",
        ),
        Article(
            "004",
            "Ben-Nun, Sutton, Pai and Pingali",
            "Groute: an asynchronous multi-GPU programming model for irregular computations",
            "PPoPP 2017; its program is [public](https://github.com/groute/groute)",
            "https://doi.org/10.1145/3018743.3018756",
            "eight GPUs on four NVIDIA Tesla M60 cards; for table 6, a Tesla K40c and a Quadro "
            "M4000",
        ),
    )
}

#: The graphs of article 000: scale, and MB of distances and of edges with weights.
SIZES_000 = {
    **{14: (0.125, 4), 15: (0.25, 8), 16: (0.5, 16), 17: (1, 32), 18: (2, 64), 19: (4, 128)},
    **{20: (8, 256), 21: (16, 512), 22: (32, 1024), 23: (64, 2048), 24: (128, 4096)},
}

#: Tables 1 to 3 of article 001, in seconds: one core, naive and in tiles on the GPU, both with the
#: copies. Its tables 1 and 2 share the row of 100 vertices, tables 2 and 3 that of 1000.
SECONDS_001: dict[int, tuple[float | None, float, float]] = {
    10: (0.00, 2.94, 2.94),
    20: (0.00, 2.88, 2.88),
    30: (0.01, 2.93, 3.00),
    40: (0.03, 2.92, 2.93),
    50: (0.06, 2.89, 2.94),
    60: (0.10, 2.92, 2.94),
    70: (0.17, 2.95, 2.95),
    80: (0.27, 2.92, 2.98),
    90: (0.38, 2.96, 2.98),
    100: (0.51, 2.91, 2.91),
    200: (3.48, 3.04, 3.02),
    300: (9.92, 3.03, 3.12),
    400: (22.77, 3.17, 3.19),
    500: (47.24, 3.41, 3.33),
    600: (66.51, 3.54, 3.66),
    700: (219.87, 3.86, 4.00),
    800: (510.42, 4.28, 4.19),
    900: (982.0, 4.61, 4.43),
    1000: (1711.0, 5.27, 5.20),
    2000: (2713.9, 15.96, 9.24),
    3000: (4599.2, 40.98, 14.40),
    4000: (8324.6, 105.11, 18.29),
    5000: (16493.0, 207.17, 20.39),
    6000: (34920.0, 344.01, 28.40),
    7000: (74032.0, 453.14, 37.73),
    8000: (None, 769.05, 50.47),
}

#: The graphs of article 002: nodes and edges. Its times are in a picture without numbers.
ROADS_002 = {
    "New York": (264_346, 733_846),
    "Bay Area": (321_270, 800_172),
    "Colorado": (435_666, 1_057_066),
}

#: The graphs of article 003: scale, arcs of R-MAT and of SSCA2, GB.
SIZES_003 = {
    16: (2_097_152, 2_100_000, 0.023),
    21: (67_108_864, 67_200_000, 0.760),
    24: (536_870_912, 537_000_000, 6.3),
    25: (1_073_741_824, 1_075_000_000, 12.5),
    26: (2_147_483_648, 2_150_000_000, 25.2),
    27: (4_294_967_296, 4_300_000_000, 51.2),
}

#: Table 3 of article 004: milliseconds, with the number of GPUs of the best time in brackets; "-"
#: is a run that failed.
TABLE_3_COLUMNS = (
    *("bfs, Gunrock", "bfs, B40C", "bfs, Groute", "sssp, Gunrock", "sssp, Groute"),
    *("pagerank, Gunrock", "pagerank, Groute", "components, Gunrock", "components, Groute"),
)
TABLE_3 = {
    "USA": (
        *("617.85 (1)", "56.83 (1)", "128.38 (2)", "60,656.91 (8)", "725.93 (3)"),
        *("1,394.25 (1)", "167.89 (8)", "335.65 (1)", "15.11 (5)"),
    ),
    "OSM-eur-k": (
        *("3,191.78 (1)", "2,177.1 (2)", "616.4 (5)", "874,083.5 (4)", "3,513.29 (8)"),
        *("-", "1,045.33 (8)", "-", "160.96 (4)"),
    ),
    "soc-LiveJournal1": (
        *("99.11 (2)", "14.07 (4)", "24.96 (6)", "83.36 (5)", "30.98 (6)"),
        *("2,782.06 (1)", "371.71 (5)", "110.05 (1)", "14.19 (2)"),
    ),
    "twitter": (
        *("-", "-", "713.6 (8)", "1,310.7 (7)", "649.2 (8)"),
        *("-", "38,549.27 (1)", "-", "384.13 (8)"),
    ),
    "kron21.sym": (
        *("156.68 (3)", "-", "46.55 (7)", "208.43 (2)", "213.92 (8)"),
        *("9,800.43 (1)", "5,342.73 (1)", "-", "13.86 (8)"),
    ),
}
#: Table 4 of article 004: nodes and edges in millions, mean degree, largest degree, GB.
TABLE_4 = {
    "USA": ("24", "58", "2.41", "9", "0.62"),
    "OSM-eur-k": ("174", "348", "2.00", "15", "3.90"),
    "soc-LiveJournal1": ("5", "69", "14.23", "20,293", "0.56"),
    "twitter": ("51", "1,963", "38.37", "779,958", "16.00"),
    "kron21.sym": ("2", "182", "86.82", "213,904", "1.40"),
}
#: Table 5 of article 004: gains of soft priority, and of soft priority with fused kernels, by graph
#: and number of GPUs.
TABLE_5 = {
    "soc-LiveJournal1": {1: (1.03, 1.03), 2: (0.95, 0.95), 4: (1.29, 1.31), 8: (1.29, 1.09)},
    "kron21.sym": {1: (1.02, 1.01), 2: (1.10, 1.09), 4: (1.58, 1.57), 8: (1.45, 1.48)},
    "USA": {1: (71.36, 166.27), 2: (58.11, 142.57), 4: (34.59, 89.94), 8: (16.22, 39.34)},
}
#: Table 6 of article 004: by schedule, million elements and milliseconds of both GPUs, and the time
#: of the whole.
TABLE_6 = {
    "static": (("Tesla K40c", 12.6, 5.73), ("Quadro M4000", 13.6, 27.04), 27.37),
    "first available": (("Tesla K40c", 20.9, 8.84), ("Quadro M4000", 5.2, 10.90), 11.26),
}


@dataclass(frozen=True)
class Quote:
    """A number that the text of an article states, and what it says about it."""

    number: str
    says: str


QUOTES = {
    "000": (
        Quote("32", "arcs per vertex, and sources that are averaged"),
        Quote("1100", "million arcs a second at most, on graphs of up to 2^21 vertices"),
        Quote("40", "times one core: the largest mean speed-up, from 1 to 4 million vertices"),
        Quote("1.5", "MB: the second-level cache of its GPU"),
        Quote("48", "KB: the first-level cache of a multiprocessor, 102 KB of the second level"),
    ),
    "001": (
        Quote("15", "runs that are averaged"),
        Quote("100", "times one core, on average from 100 vertices on"),
        Quote("8", "times as fast in tiles as naive, or more"),
        Quote("3", "seconds of the GPU, about, on any graph of up to 100 vertices"),
        Quote("700", "vertices from which on tiles are faster than the naive kernel"),
    ),
    "002": (
        Quote("1024", "random origins"),
        Quote("32", "items in a node, and children of a node"),
    ),
    "003": (
        Quote("32", "mean degree"),
        Quote("80", "percent of the time for the lightest edges of components, at most"),
        Quote("7", "to 8 rounds of Boruvka's algorithm"),
        Quote("20", "to 25 percent of the arcs, at most, are for the cores"),
        Quote("2.9", "times smaller are compressed neighbours of SSCA2 graphs"),
        Quote("12", "GB/s between the memories of host and GPU"),
        Quote("3000", "million arcs a second, expected of SSCA2 of scale 25 in the GPU's memory"),
        Quote("3200", "million arcs a second at scale 23, if combined with the best other program"),
        Quote("18", "to 36 million arcs a second of an earlier program on a Tesla S1070"),
        Quote("0.05", "the weight from which edges of the tree are cut into clusters"),
    ),
    "004": (
        Quote("7.28", "times one GPU: PageRank of the roads of the USA on eight"),
        Quote("3.02", "times one GPU: PageRank of soc-LiveJournal1 on four"),
        Quote("2.9", "times one GPU: components of kron21.sym on eight"),
        Quote("21", "times as fast are coalesced accesses as random ones, at most (figure 2a)"),
        Quote("1", "to 10 percent of overhead with packets of 1 to 10 MB (figure 2b)"),
        Quote("10.99", "times Gunrock: components of the roads of the USA on one GPU"),
        Quote("49.6", "times Gunrock on eight"),
        Quote("23.9", "million work items of bfs, USA, one GPU"),
        Quote("4,244", "million on four GPUs without soft priority, 27 with METIS"),
        Quote("134", "million on four GPUs with it, 24.1 with METIS, too"),
        Quote("13,998", "million work items of sssp, USA, one GPU without soft priority"),
        Quote("15,865", "million on four GPUs without soft priority"),
        Quote("59", "million on four GPUs with it"),
        Quote("19", "us of a launch without fused kernels, 10 to 100 ms with them"),
        Quote("250", "MB are filtered for table 6"),
        Quote("100", "MB are sent for figure 2"),
    ),
}
