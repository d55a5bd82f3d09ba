#include "algorithms/betweenness/bind_call.hpp"

namespace warpgraph {
namespace {

void betweenness_of_vertices(const BetweennessOptions& settings, Graph& graph,
                             const py::dtype& dtype, bool unweighted,
                             std::span<const vertex_t> sources, std::span<const vertex_t> targets,
                             const py::object& limit, std::span<double> scores,
                             const std::vector<Device>& devices, Progress progress) {
  BetweennessCall call{dtype, unweighted, devices, settings, limit};
  call.options.sources = sources;
  call.options.targets = targets;
  run_betweenness(call, graph, nullptr, scores, std::move(progress));
}

py::array_t<vertex_t> vertices_drawn(vertex_t n, vertex_t k, std::uint64_t seed) {
  return to_array(run_released([&] { return sample_vertices(n, k, seed); }));
}

}  // namespace

void init_betweenness(py::module_& module) {
  define(module, "betweenness", &betweenness_of_vertices,
         {"graph", "dtype", "unweighted", "sources", "targets", "limit", "scores", "devices",
          "progress"},
         keyword("is_sample", &BetweennessOptions::is_sample),
         keyword("directed", &BetweennessOptions::directed),
         keyword("endpoints", &BetweennessOptions::endpoints),
         keyword("normalized", &BetweennessOptions::normalized),
         keyword("ledger", &BetweennessOptions::budget));
  module.def("sample_vertices", &vertices_drawn, py::arg("n"), py::arg("k"), py::arg("seed"));
}

}  // namespace warpgraph
