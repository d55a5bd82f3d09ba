#include "algorithms/betweenness/bind_call.hpp"

namespace warpgraph {
namespace {

/// Writes the scores of edges. `scores` has an item for each entry of `entries`, which `graph` has,
/// too.
void betweenness_of_edges(const BetweennessOptions& settings, Graph& graph, const Graph& entries,
                          const py::dtype& dtype, bool unweighted,
                          std::span<const vertex_t> sources, std::span<const vertex_t> targets,
                          const py::object& limit, std::span<double> scores,
                          const std::vector<Device>& devices, Progress progress) {
  BetweennessCall call{dtype, unweighted, devices, settings, limit};
  call.options.sources = sources;
  call.options.targets = targets;
  call.options.of_arcs = true;
  run_betweenness(call, graph, &entries, scores, std::move(progress));
}

}  // namespace

void init_betweenness_edges(py::module_& module) {
  define(module, "edge_betweenness", &betweenness_of_edges,
         {"graph", "entries", "dtype", "unweighted", "sources", "targets", "limit", "scores",
          "devices", "progress"},
         keyword("is_sample", &BetweennessOptions::is_sample),
         keyword("directed", &BetweennessOptions::directed),
         keyword("normalized", &BetweennessOptions::normalized),
         keyword("ledger", &BetweennessOptions::budget));
}

}  // namespace warpgraph
