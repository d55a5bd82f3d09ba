#include "algorithms/betweenness/betweenness.hpp"
#include "bindings/call.hpp"
#include "bindings/core/ledger.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_handle.hpp"

namespace warpgraph {
namespace {

/// Calls f.operator()<W>() for the type of distances: a float, or int64.
template <class F>
void dispatch_path_length(const py::dtype& dtype, const F& f) {
  if (dtype.kind() != 'f') {
    f.template operator()<std::int64_t>();
  } else {
    dispatch_real(dtype, f);
  }
}

/// Calls run(graph, limit, stream) for a graph without weights on a CUDA device.
template <class Run>
void run_betweenness_on(Device device, GraphHandle& graph, const py::object& limit,
                        Progress progress, const Run& run) {
  const auto farthest = std::min<std::int64_t>(limit.cast<std::int64_t>(), infinity<vertex_t>());
  run_released(std::move(progress), [&] {
    const auto copy = [&] { return graph.pattern_on(device); };
    const auto is_mirrored = [&] { return graph.has_mirrored_structure(); };
    run_on_cuda(device, [&](const auto& stream) {
      run(BetweennessGraph{graph.pattern(), copy, is_mirrored}, static_cast<vertex_t>(farthest),
          stream);
    });
  });
}

/// A CUDA device takes graphs without weights only.
void betweenness_of_vertices(const BetweennessOptions& settings, GraphHandle& graph,
                             const py::dtype& dtype, bool unweighted,
                             std::span<const vertex_t> sources, std::span<const vertex_t> targets,
                             const py::object& limit, std::span<double> scores, Device device,
                             Progress progress) {
  BetweennessOptions options = settings;
  options.sources = sources;
  options.targets = targets;
  if (device.is_cuda()) {
    return run_betweenness_on(device, graph, limit, std::move(progress),
                              [&](const auto& on_device, vertex_t farthest, const auto& stream) {
                                betweenness_cuda(on_device, farthest, options, scores, stream);
                              });
  }
  dispatch_path_length(dtype, [&]<class W>() {
    const W farthest = limit.cast<W>();
    const CsrView<W> view = host_view<W>(graph, unweighted);
    run_released(std::move(progress), [&] { betweenness_cpu(view, farthest, options, scores); });
  });
}

/// `scores` has an item for each entry of `entries`, which `graph` has, too.
void betweenness_of_edges(const BetweennessOptions& settings, GraphHandle& graph,
                          const GraphHandle& entries, const py::dtype& dtype, bool unweighted,
                          std::span<const vertex_t> sources, std::span<const vertex_t> targets,
                          const py::object& limit, std::span<double> scores, Device device,
                          Progress progress) {
  BetweennessOptions options = settings;
  options.sources = sources;
  options.targets = targets;
  if (device.is_cuda()) {
    return run_betweenness_on(device, graph, limit, std::move(progress),
                              [&](const auto& on_device, vertex_t farthest, const auto& stream) {
                                edge_betweenness_cuda(on_device, entries.pattern(), farthest,
                                                      options, scores, stream);
                              });
  }
  dispatch_path_length(dtype, [&]<class W>() {
    const W farthest = limit.cast<W>();
    const CsrView<W> view = host_view<W>(graph, unweighted);
    const CsrView<W> given = host_view<W>(entries, unweighted);
    run_released(std::move(progress),
                 [&] { edge_betweenness_cpu(view, given, farthest, options, scores); });
  });
}

py::array_t<vertex_t> vertices_drawn(vertex_t n, vertex_t k, std::uint64_t seed) {
  return to_array(run_released([&] { return sample_vertices(n, k, seed); }));
}

}  // namespace

void init_betweenness(py::module_& module) {
  define(module, "betweenness", &betweenness_of_vertices,
         {"graph", "dtype", "unweighted", "sources", "targets", "limit", "scores", "device",
          "progress"},
         keyword("is_sample", &BetweennessOptions::is_sample),
         keyword("directed", &BetweennessOptions::directed),
         keyword("endpoints", &BetweennessOptions::endpoints),
         keyword("normalized", &BetweennessOptions::normalized),
         ledger_keyword(&BetweennessOptions::memory_limit));
  define(module, "edge_betweenness", &betweenness_of_edges,
         {"graph", "entries", "dtype", "unweighted", "sources", "targets", "limit", "scores",
          "device", "progress"},
         keyword("is_sample", &BetweennessOptions::is_sample),
         keyword("directed", &BetweennessOptions::directed),
         keyword("normalized", &BetweennessOptions::normalized),
         ledger_keyword(&BetweennessOptions::memory_limit));
  module.def("sample_vertices", &vertices_drawn, py::arg("n"), py::arg("k"), py::arg("seed"));
}

}  // namespace warpgraph
