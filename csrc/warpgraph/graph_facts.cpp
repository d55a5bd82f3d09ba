// The facts of a graph.
#include "algorithms/bfs/bfs.hpp"
#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/small_work.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "plan/plan.hpp"
#include "plan/rates.hpp"
#include "primitives/graph_shape.hpp"
#include "primitives/growth.hpp"
#include "warpgraph/graph.hpp"
#include "warpgraph/run_on.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/symmetry/device_symmetry.hpp"
#endif

namespace warpgraph {
namespace {

/// Returns a fact about the caller's weights; f(view) finds it.
template <class T, class F>
T find_in_weights(const Graph& graph, Fact<T>& fact, F&& f) {
  if (const std::optional<T> known = fact.if_known()) return *known;
  return graph.with_type_of_caller([&]<class W>() {
    const CsrView<W> view = graph.view<W>();
    return find_once(fact, [&] { return f(view); });
  });
}

/// Returns the depth that hops show, of the vertices that have arcs.
BfsExtent extent_of(std::span<const vertex_t> hops) {
  return parallel_reduce(
      std::ssize(hops), BfsExtent{},
      [&](std::int64_t i) {
        return BfsExtent{hops[at(i)] >= 0 ? 1 : 0, hops[at(i)]};
      },
      [](const BfsExtent& a, const BfsExtent& b) {
        return BfsExtent{a.n_reached + b.n_reached, std::max(a.deepest, b.deepest)};
      });
}

plan::Depth depth_of(const CsrPattern& graph, const BfsExtent& found) {
  const auto has_arcs = [&](std::int64_t v) {
    return std::int64_t{graph.degree(static_cast<vertex_t>(v)) > 0 ? 1 : 0};
  };
  const bool reaches_most =
      2 * found.n_reached >= graph.n_vertices ||  // then nobody need count
      2 * found.n_reached >=
          parallel_reduce(graph.n_vertices, std::int64_t{0}, has_arcs, std::plus{});
  return {found.deepest, reaches_most};
}

/// Returns the options of a search from the vertex `widest` that is to find the depth of a graph.
BfsOptions options_of_probe(vertex_t widest, const StructureFacts& facts) {
  BfsOptions options;
  options.source = widest;
  options.limit = plan::max_hops_of_probe + 1;
  options.symmetric = facts.is_mirrored.if_known().value_or(false);
  options.by_levels = true;
  return options;
}

}  // namespace

vertex_t Graph::widest() {
  if (pattern_.n_vertices == 0) return no_vertex;
  return find_once(structure_facts().widest, [&] { return max_degree_vertex(pattern_); });
}

vertex_t Graph::hub() {
  const vertex_t v = widest();
  return v != no_vertex && is_hub(pattern_, v) ? v : no_vertex;
}

edge_t Graph::longest_row() {
  const vertex_t v = widest();
  return v == no_vertex ? 0 : pattern_.degree(v);
}

bool Graph::has_mirrored_structure() {
  if (weight_facts_.is_mirrored.if_known().value_or(false)) return true;
  return find_once(structure_facts().is_mirrored, [&] {
    const Device device = device_of_copy();
    return run_on(
        device, [&] { return is_symmetric(pattern()); },
        [&](const auto& stream) {
          const CsrPattern copy = pattern_on(device);  // checks the heads
          return is_symmetric_on_device(has_heads_on_host() ? pattern() : shape(), copy, stream);
        });
  });
}

bool Graph::is_mirrored() {
  const auto look = [&]<class W>() {
    const Device device = has_weights_on<W>(device_of_copy()) ? device_of_copy() : Device{};
    return run_on(
        device, [&] { return is_symmetric(view<W>()); },
        [&](const auto& stream) {
          const CsrView<W> copy = view_on<W>(device);  // checks the graph
          return is_symmetric_on_device(host_view_beside<W>(*this, false, device), copy, stream);
        });
  };
  const bool found = with_type_of_caller([&]<class W>() {
    return find_once(weight_facts_.is_mirrored, [&] { return look.template operator()<W>(); });
  });
  if (found) find_once(structure_facts().is_mirrored, [] { return true; });
  return found;
}

UnusualWeights Graph::unusual_weights() {
  return find_in_weights(*this, weight_facts_.unusual, []<class W>(const CsrView<W>& view) {
    return find_unusual(std::span<const W>(view.weights, static_cast<std::size_t>(view.n_arcs)));
  });
}

edge_t Graph::first_not_positive() {
  return find_in_weights(*this, weight_facts_.not_positive, []<class W>(const CsrView<W>& view) {
    const std::int64_t e = parallel_find_first(
        view.n_arcs, [weights = view.weights](std::int64_t i) { return weights[i] <= W{0}; });
    return e == view.n_arcs ? -1 : e;
  });
}

shortest_paths::WeightSummary Graph::weight_summary() {
  return find_in_weights(*this, weight_facts_.summary, [](const auto& view) {
    const CallThreads threads = threads_for(static_cast<double>(view.n_arcs));
    return shortest_paths::summarise_numbers(view);
  });
}

shortest_paths::WeightSummary Graph::summary_of_ones() {
  return find_once(structure_facts().summary_of_ones, [&] {
    const CallThreads threads = threads_for(static_cast<double>(pattern_.n_arcs));
    return shortest_paths::summarise_numbers(host_view<std::int32_t>(*this, true));
  });
}

Locality Graph::locality() {
  return find_once(structure_facts().locality, [&] { return locality_of(pattern()); });
}

double Graph::levels() {
  return find_once(structure_facts().levels,
                   [&] { return estimate_levels(has_heads_on_host() ? pattern_ : pattern()); });
}

/// Searches on the device that has the graph, else on the host.
plan::Depth Graph::depth_from_hub() {
  if (pattern_.n_vertices == 0) return {};
  Fact<plan::Depth>& fact = structure_facts().depth_from_hub;
  if (const std::optional<plan::Depth> known = fact.if_known()) return *known;
  const BfsOptions options = options_of_probe(widest(), structure_facts());
  const Device device = device_of_copy();
  const auto search = [&] {
    return depth_of(pattern_, run_on(
                                  device,
                                  [&] {
                                    HostVector<vertex_t> hops(at(pattern_.n_vertices));
                                    bfs_cpu(pattern(), options, hops, {});
                                    return extent_of(hops);
                                  },
                                  [&](const auto& stream) {
                                    const CsrPattern copy = pattern_on(device);
                                    return BfsProbe(copy, pattern_, options, stream).finish();
                                  }));
  };
  return run_as_call([&] { return fact.get(search); });
}

bool Graph::is_checked_where_read(Device device, std::size_t bytes) const {
  return defers_checks_ && bytes <= free_memory(device) / plan::rates::memory_to_early_copies;
}

#if defined(WARPGRAPH_HAS_CUDA)
void Graph::measure_depth_beside(Device device, FunctionRef<void()> copy_weights) {
  if (structure_facts().depth_from_hub.if_known()) return copy_weights();
  // Without reading degrees: no row is longer than this.
  if (!plan::asks_for_depth(pattern_.n_vertices, pattern_.n_arcs, pattern_.n_arcs)) {
    return copy_weights();
  }
  std::atomic_flag begun;
  const CsrPattern copy = structure_on(device, [&] {
    if (begun.test_and_set()) return false;
    structure_facts().widest.get([&] {
      const CallThreads alone(1);  // this thread is one of those that copy
      return max_degree_vertex(pattern_);
    });
    return true;
  });
  if (!plan::asks_for_depth(pattern_.n_vertices, pattern_.n_arcs, longest_row())) {
    return copy_weights();
  }
  const BfsOptions options = options_of_probe(widest(), structure_facts());
  run_on_cuda(device, [&](const auto& stream) {
    BfsProbe probe(copy, pattern_, options, stream);
    copy_weights();
    structure_facts().depth_from_hub.get([&] { return depth_of(pattern_, probe.finish()); });
  });
}
#endif

}  // namespace warpgraph
