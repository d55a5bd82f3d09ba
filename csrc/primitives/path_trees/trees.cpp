#include "primitives/path_trees/trees.hpp"

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "graph/symmetry.hpp"
#include "primitives/path_trees/predecessors.hpp"
#include "primitives/path_trees/rounded_tree.hpp"
#include "primitives/path_trees/tree_lanes.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

using namespace shortest_paths;

/// Turning the graph round takes as long as a few rows do one by one.
constexpr std::int64_t rows_worth_turning = 64;
/// Arcs between two looks whether to go on: a fraction of a millisecond.
constexpr edge_t arcs_between_looks = 1 << 15;
/// Vertices whose lanes are filled or read together: they stay in the first-level cache meanwhile.
constexpr vertex_t tile = 64;

/// A weight or distance as a number of another type that it fits, but for infinity. A finite weight
/// that does not fit is part of no shortest path.
template <class L, class W>
L narrowed(W value) {
  if constexpr (std::is_same_v<L, W>) return value;
  return value < static_cast<W>(infinity<L>()) ? static_cast<L>(value) : infinity<L>();
}

/// `L` is what distances are compared as.
template <class W, class L>
class TreesInLanes {
 public:
  TreesInLanes(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
               vertex_t* predecessors)
      : graph_(graph), rows_(rows), options_(options), predecessors_(predecessors) {}

  void run() {
    const std::int64_t n_batches = (rows_.size() + lanes - 1) / lanes;
    const int threads = affordable_threads(n_batches);
    turned_ = turn_round();
    std::vector<std::optional<Room>> rooms(at(threads));
    parallel_tasks(n_batches, threads, rows_.size(), [&](const Worker& worker, std::int64_t batch) {
      std::optional<Room>& room = rooms[at(worker.rank())];
      if (!room) room.emplace(graph_);
      const std::int64_t first = batch * lanes;
      const std::int64_t last = std::min(first + lanes, rows_.size());
      fill(*room, first, last);
      if (!hang_all(worker, *room)) return;
      write(*room, first, last);
      for (std::int64_t i = first; i < last; ++i) {
        if (room->missing.of[i - first] > 1) finish(worker, *room, i);
      }
      worker.finish(last - first);
    });
  }

 private:
  static constexpr int lanes = tree_lanes<L>;
  using Distances = TreeLanes<L, lanes>;
  using Predecessors = TreeLanes<TreeIndex<L>, lanes>;

  template <class Index>
  static std::size_t at(Index i) {
    return static_cast<std::size_t>(i);
  }

  /// What a thread keeps from one batch to the next.
  struct Room {
    explicit Room(const CsrView<W>& graph)
        : distances(at(graph.n_vertices)), predecessors(at(graph.n_vertices)) {
      if constexpr (std::is_floating_point_v<L>) rounded.emplace(graph);
    }
    HostVector<Distances> distances;
    HostVector<Predecessors> predecessors;
    TreeLanes<vertex_t, lanes> missing;
    std::optional<RoundedTree<W>> rounded;
  };

  [[nodiscard]] Csr<L> turn_round() const {
    if constexpr (std::is_same_v<L, W>) {
      return transpose(graph_);
    } else {
      Csr<W> turned = transpose(graph_);
      HostVector<L> weights(turned.weights.size());
      parallel_for(
          graph_.n_arcs, [&](edge_t e) { weights[at(e)] = narrowed<L>(turned.weights[at(e)]); },
          light_grain);
      return {std::move(turned.offsets), std::move(turned.heads), std::move(weights)};
    }
  }

  [[nodiscard]] int affordable_threads(std::int64_t n_batches) const {
    const std::size_t shared = at(graph_.n_vertices + 1) * sizeof(edge_t) +
                               at(graph_.n_arcs) * (sizeof(vertex_t) + sizeof(W));
    const std::size_t a_thread =
        at(graph_.n_vertices) * (sizeof(Distances) + sizeof(Predecessors)) +
        RoundedTree<W>::bytes_needed(graph_);
    const MemoryBudget budget(Device{}, options_.memory_limit);
    budget.require("finding predecessors", shared + a_thread, "leave out the predecessors");
    const std::size_t affordable = (std::max(budget.available(), shared) - shared) / a_thread;
    const std::size_t most = std::min(at(n_batches), at(num_threads()));
    return static_cast<int>(std::clamp<std::size_t>(affordable, 1, most));
  }

  /// Lanes without a row reach nothing.
  void fill(Room& room, std::int64_t first, std::int64_t last) const {
    std::fill_n(room.missing.of, lanes, 0);
    for (vertex_t begin = 0, end; begin < graph_.n_vertices; begin = end) {
      end = std::min(graph_.n_vertices - begin, tile) + begin;
      for (int lane = 0; lane < lanes; ++lane) {
        L piece[tile];  // of a row: converting is quick where numbers lie together
        if (first + lane < last) {
          const W* const row = rows_.row(first + lane) + begin;
          for (vertex_t v = 0; v < end - begin; ++v) piece[v] = narrowed<L>(row[v]);
        } else {
          std::fill_n(piece, tile, infinity<L>());
        }
        for (vertex_t v = begin; v < end; ++v) room.distances[at(v)].of[lane] = piece[v - begin];
      }
    }
  }

  bool hang_all(const Worker& worker, Room& room) const {
    const TreeStep<L> step{turned_.view(), room.distances.data(), room.predecessors.data(),
                           tree_tolerance<L>(graph_.n_vertices), &room.missing};
    for (vertex_t first = 0; first < graph_.n_vertices;) {
      if (!worker.keep_on()) return false;
      const edge_t enough = step.turned.begin(first) + arcs_between_looks;
      vertex_t last = first + 1;
      while (last < graph_.n_vertices && step.turned.end(last) <= enough) ++last;
      if (options_.sums != Sums::in_any_order) {
        hang<Sums::along_paths>(step, first, last);
      } else if constexpr (std::is_floating_point_v<L>) {
        hang<Sums::in_any_order>(step, first, last);
      }
      first = last;
    }
    return true;
  }

  void write(const Room& room, std::int64_t first, std::int64_t last) const {
    for (vertex_t begin = 0, end; begin < graph_.n_vertices; begin = end) {
      end = std::min(graph_.n_vertices - begin, tile) + begin;
      for (std::int64_t i = first; i < last; ++i) {
        vertex_t* const tree = predecessors_of(i);
        for (vertex_t v = begin; v < end; ++v) tree[v] = room.predecessors[at(v)].of[i - first];
      }
    }
  }

  void finish(const Worker& worker, Room& room, std::int64_t i) const {
    const vertex_t source = rows_.sources[at(i)];
    if (options_.sums != Sums::in_any_order) {
      const std::size_t n = at(graph_.n_vertices);
      recover_predecessors<W>(graph_, source, false, {rows_.row(i), n}, {predecessors_of(i), n});
    } else if (room.rounded) {
      room.rounded->complete(source, rows_.row(i), predecessors_of(i),
                             [&] { return worker.keep_on(); });
    }
  }

  [[nodiscard]] vertex_t* predecessors_of(std::int64_t i) const {
    return predecessors_ + i * graph_.n_vertices;
  }

  const CsrView<W> graph_;
  const DistanceRows<W>& rows_;
  const TreeOptions& options_;
  vertex_t* const predecessors_;
  Csr<L> turned_;
};

/// Row after row, all threads at each.
template <class W>
void recover_one_by_one(const CsrView<W>& graph, const DistanceRows<W>& rows,
                        vertex_t* predecessors) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    poll();
    recover_predecessors<W>(graph, rows.sources[static_cast<std::size_t>(i)], false,
                            {rows.row(i), n}, {predecessors + i * graph.n_vertices, n});
  }
}

/// A row for each thread: the rows row_of(0), row_of(1), .. With negative weights from the
/// beginning, otherwise what is left.
template <class W, class RowOf>
void recover_side_by_side(const CsrView<W>& graph, const DistanceRows<W>& rows,
                          const TreeOptions& options, std::int64_t n_rows, RowOf&& row_of,
                          vertex_t* predecessors) {
  const auto n = static_cast<std::size_t>(graph.n_vertices);
  std::vector<std::optional<RoundedTree<W>>> rooms(static_cast<std::size_t>(num_threads()));
  parallel_tasks(n_rows, num_threads(), n_rows, [&](const Worker& worker, std::int64_t task) {
    const std::int64_t i = row_of(task);
    const vertex_t source = rows.sources[static_cast<std::size_t>(i)];
    vertex_t* const tree = predecessors + i * graph.n_vertices;
    if (options.sums != Sums::in_any_order) {
      recover_predecessors<W>(graph, source, options.negative_weights, {rows.row(i), n}, {tree, n});
    } else if constexpr (std::is_floating_point_v<W>) {
      if (options.negative_weights) std::fill_n(tree, n, no_vertex);
      auto& room = rooms[static_cast<std::size_t>(worker.rank())];
      if (!room) room.emplace(graph);
      room->complete(source, rows.row(i), tree, [&] { return worker.keep_on(); });
    }
    worker.finish(1);
  });
}

/// The largest magnitude of the finite weights, or infinity if one is not an integer.
template <class W>
W heaviest_integer(const CsrView<W>& graph) {
  if (graph.weights == nullptr) return W{1};
  return parallel_reduce(
      graph.n_arcs, W{0},
      [&](std::int64_t e) {
        const W weight = graph.weights[e];
        if (weight == infinity<W>()) return W{0};
        return weight == std::trunc(weight) ? std::abs(weight) : infinity<W>();
      },
      [](W a, W b) { return std::max(a, b); }, light_grain);
}

template <class W>
W farthest_of(const DistanceRows<W>& rows, vertex_t n_vertices) {
  return parallel_reduce(
      rows.size(), W{0}, [&](std::int64_t i) { return farthest_in_row(rows.row(i), n_vertices); },
      [](W a, W b) { return std::max(a, b); }, 16);
}

/// In the narrowest lanes that hold all distances and, of 16 bits, all vertices.
template <class W>
void recover_in_lanes(const CsrView<W>& graph, const DistanceRows<W>& rows,
                      const TreeOptions& options, vertex_t* predecessors) {
  if (options.sums == Sums::exact) {
    const W farthest = farthest_of(rows, graph.n_vertices);
    constexpr std::int16_t most = infinity<std::int16_t>();
    if (farthest < static_cast<W>(most) && graph.n_vertices <= most) {
      return TreesInLanes<W, std::int16_t>(graph, rows, options, predecessors).run();
    }
    if constexpr (sizeof(W) == 8) {
      if (farthest < static_cast<W>(infinity<std::int32_t>())) {
        return TreesInLanes<W, std::int32_t>(graph, rows, options, predecessors).run();
      }
    }
  }
  TreesInLanes<W, W>(graph, rows, options, predecessors).run();
}

}  // namespace

template <class W>
bool sums_are_exact(const CsrView<W>& graph, const std::function<W()>& farthest,
                    bool negative_weights) {
  if constexpr (std::is_integral_v<W>) {
    return true;
  } else {
    const W all_integers = std::ldexp(W{1}, std::numeric_limits<W>::digits);
    const W heaviest = heaviest_integer(graph);
    if (heaviest * static_cast<W>(graph.n_vertices) < all_integers) return true;
    // Sums that do not fall along a path fit if its length does.
    return heaviest < infinity<W>() && !negative_weights && farthest() < all_integers;
  }
}

template <class W>
bool sums_are_exact(const CsrView<W>& graph, const DistanceRows<W>& rows, bool negative_weights) {
  const std::function<W()> farthest = [&] { return farthest_of(rows, graph.n_vertices); };
  return sums_are_exact(graph, farthest, negative_weights);
}

template <class W>
void recover_trees(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
                   vertex_t* predecessors) {
  if (rows.size() == 0) return;
  if (options.negative_weights) {
    recover_side_by_side(
        graph, rows, options, rows.size(), [](std::int64_t i) { return i; }, predecessors);
  } else if (options.sums != Sums::in_any_order && rows.size() < rows_worth_turning) {
    recover_one_by_one(graph, rows, predecessors);
  } else {
    recover_in_lanes(graph, rows, options, predecessors);
  }
}

template <class W>
void finish_trees(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
                  std::span<const std::int64_t> unfinished, vertex_t* predecessors) {
  if (unfinished.empty()) return;
  recover_side_by_side(
      graph, rows, options, static_cast<std::int64_t>(unfinished.size()),
      [&](std::int64_t i) { return unfinished[static_cast<std::size_t>(i)]; }, predecessors);
}

#define WARPGRAPH_INSTANTIATE(W)                                                                \
  template bool sums_are_exact<W>(const CsrView<W>&, const std::function<W()>&, bool);          \
  template void finish_trees<W>(const CsrView<W>&, const DistanceRows<W>&, const TreeOptions&,  \
                                std::span<const std::int64_t>, vertex_t*);                      \
  template bool sums_are_exact<W>(const CsrView<W>&, const DistanceRows<W>&, bool);             \
  template void recover_trees<W>(const CsrView<W>&, const DistanceRows<W>&, const TreeOptions&, \
                                 vertex_t*);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
