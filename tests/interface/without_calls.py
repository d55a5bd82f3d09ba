"""Public functions that `calls.CALLS` does not have, each with the reason."""

import warpgraph as wg

#: Of the runtime, whose applications take functions.
_RUNTIME = ["Context", "DistributedWorklist", "Endpoint", "EventFuture", "Flags", "Link"]
_RUNTIME += ["PendingSegment", "Router", "RoutingPolicy", "Segment", "Stopped", "table"]

#: Public functions without an entry, and the reason.
WITHOUT_ENTRY = {
    "devices": "takes nothing",
    "freeze_plans": "takes a flag: test_machine_rates.py",
    "get_include": "takes nothing",
    "get_num_threads": "takes nothing",
    "set_num_threads": "takes a number: test_errors.py",
    "show_config": "takes nothing",
    "Plan": "a result: test_explain.py",
    "explain": "takes a function: test_explain.py",
    "Arborescence": "a result: test_minimum_arborescence.py",
    "Communities": "a result: test_communities.py",
    "ShortestPathDag": "a result: test_shortest_path_dag.py",
    "SpanningForest": "a result: test_forest.py",
    "TurnGraph": "a result: test_turns.py",
    "reconstruct_path": "takes a tree: test_reconstruct_path.py",
    "reconstruct_paths": "takes a tree: test_reconstruct_path.py",
    **{f"distributed.{name}": "an engine" for name in wg.distributed.__all__},
    **{f"{m}.{name}": "an engine" for m in ("dask", "ray") for name in getattr(wg, m).__all__},
    **{f"runtime.{name}": "takes functions: test_runtime*.py" for name in _RUNTIME},
    "transform.CompressedGraph": "a result: test_transform.py",
    "transform.RankedGraph": "a result: test_transform.py",
    "transform.PartitionedGraph": "a result: test_partition.py",
    "transform.ReorderedGraph": "a result: test_transform.py",
    "transform.Report": "a result: test_transform.py",
    "transform.SortedGraph": "a result: test_transform.py",
    "io.formats": "files: test_io.py",
    "io.read": "files: test_io.py",
    "io.write": "files: test_io.py",
    "datasets.DatasetInfo": "a result: test_datasets.py",
    "datasets.Place": "a result: test_datasets.py",
    "datasets.info": "files: test_datasets.py",
    "datasets.load": "files: test_datasets.py",
    "datasets.names": "files: test_datasets.py",
    "datasets.places": "files: test_datasets.py",
    "cluster.CondensedTree": "a result: test_hdbscan.py",
    "cluster.Neighbors": "a result: test_queries.py",
    "cluster.SingleLinkageTree": "a result: test_hdbscan_options.py",
    "plot.condensed_tree": "a picture: test_hdbscan_prediction.py",
    "plot.dendrogram": "a picture: test_plot.py",
    "plot.distances": "a picture: test_map_plot.py",
    "plot.edges": "a picture: test_map_plot.py",
    "plot.interactive": "a map: test_interactive_map.py",
    "plot.layout": "a picture: test_plot.py",
    "plot.path": "a picture: test_map_plot.py",
    "plot.paths": "a picture: test_map_plot.py",
    "plot.tree": "a picture: test_plot.py",
    "plot.weights": "a picture: test_plot.py",
}
