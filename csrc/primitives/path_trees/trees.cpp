#include "primitives/path_trees/trees.hpp"

#include "core/containers/at.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"
#include "graph/symmetry/symmetry.hpp"
#include "primitives/distance_bounds/weight_summary.hpp"
#include "primitives/path_trees/predecessors.hpp"
#include "primitives/path_trees/rounded_tree.hpp"
#include "primitives/path_trees/tree_batch.hpp"
#include "primitives/relaxation/relax.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpgraph {
namespace {

using namespace shortest_paths;

/// Number of rows from which on a batch is worth it: transposing the graph takes as long as
/// processing a few rows one by one.
constexpr std::int64_t min_rows_to_transpose = 64;
/// Number of arcs between two polls: a fraction of a millisecond.
constexpr edge_t arcs_between_polls = 1 << 15;
/// Number of vertices whose values are transposed together: these stay in the L1 cache meanwhile.
constexpr vertex_t tile = 64;

/// Converts a weight or distance to a narrower type. Infinity, and finite weights that do not fit,
/// become infinity: all distances fit, so such weights are part of no shortest path.
template <class L, class W>
L narrowed(W value) {
  if constexpr (std::is_same_v<L, W>) return value;
  return value < static_cast<W>(infinity<L>()) ? static_cast<L>(value) : infinity<L>();
}

/// Recovers the tree of row i by itself; with rounded sums in any order and no negative weights,
/// completes it. `rounded` has the buffers of the calling thread; keep_on() as in RoundedTree.
template <class W, class KeepOn>
void recover_row(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
                 std::int64_t i, std::optional<RoundedTree<W>>& rounded, const KeepOn& keep_on,
                 vertex_t* predecessors) {
  const vertex_t source = rows.sources[at(i)];
  const auto n = at(graph.n_vertices);
  const std::span<vertex_t> tree(predecessors + i * graph.n_vertices, n);
  if (options.sums != Sums::in_any_order) {
    recover_predecessors<W>(graph, {&source, 1}, options.negative_weights, {rows.row(i), n}, tree);
  } else if constexpr (std::is_floating_point_v<W>) {
    if (options.negative_weights) std::fill(tree.begin(), tree.end(), no_vertex);
    if (!rounded) rounded.emplace(graph);
    rounded->complete(source, rows.row(i), tree.data(), keep_on);
  }
}

/// Processor of rows in batches. `L` is the type in which distances are compared.
template <class W, class L>
class BatchedTrees {
 public:
  BatchedTrees(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
               vertex_t* predecessors)
      : graph_(graph), rows_(rows), options_(options), predecessors_(predecessors) {}

  /// Returns the need of one thread, and of the transposed graph, which all share.
  static MemoryNeed need(const CsrPattern& graph) {
    return {"finding predecessors", shared_bytes(graph) + thread_bytes(graph),
            "leave out the predecessors"};
  }

  void run() {
    const std::int64_t n_batches = (rows_.size() + batch_size - 1) / batch_size;
    const int threads = affordable_threads(n_batches);
    transposed_ = transposed_graph();
    std::vector<std::optional<Workspace>> workspaces(at(threads));
    parallel_tasks(n_batches, threads, rows_.size(),
                   [&](const TaskContext& context, std::int64_t batch) {
                     std::optional<Workspace>& workspace = workspaces[at(context.rank())];
                     if (!workspace) workspace.emplace(graph_);
                     const std::int64_t first = batch * batch_size;
                     const std::int64_t last = std::min(first + batch_size, rows_.size());
                     fill(*workspace, first, last);
                     if (!attach_all(context, *workspace)) return;
                     write(*workspace, first, last);
                     for (std::int64_t i = first; i < last; ++i) {
                       if (workspace->missing.values[i - first] <= 1) continue;
                       recover_row(
                           graph_, rows_, options_, i, workspace->rounded,
                           [&] { return context.keep_on(); }, predecessors_);
                     }
                     context.finish(last - first);
                   });
  }

 private:
  static constexpr int batch_size = tree_batch_size<L>;
  using Distances = BatchValues<L, batch_size>;
  using Predecessors = BatchValues<TreeIndex<L>, batch_size>;

  /// Buffers of a thread, reused for all its batches.
  struct Workspace {
    explicit Workspace(const CsrView<W>& graph)
        : distances(at(graph.n_vertices)), predecessors(at(graph.n_vertices)) {}
    HostVector<Distances> distances;
    HostVector<Predecessors> predecessors;
    BatchValues<vertex_t, batch_size> missing;
    std::optional<RoundedTree<W>> rounded;
  };

  static std::size_t shared_bytes(const CsrPattern& graph) {
    return at(graph.n_vertices + 1) * sizeof(edge_t) +
           at(graph.n_arcs) * (sizeof(vertex_t) + sizeof(W));
  }
  static std::size_t thread_bytes(const CsrPattern& graph) {
    return at(graph.n_vertices) * (sizeof(Distances) + sizeof(Predecessors)) +
           RoundedTree<W>::bytes_needed(graph);
  }

  [[nodiscard]] Csr<L> transposed_graph() const {
    if constexpr (std::is_same_v<L, W>) {
      return transpose(graph_);
    } else {
      Csr<W> transposed = transpose(graph_);
      HostVector<L> weights(transposed.weights.size());
      parallel_for(
          graph_.n_arcs, [&](edge_t e) { weights[at(e)] = narrowed<L>(transposed.weights[at(e)]); },
          light_grain);
      return {std::move(transposed.offsets), std::move(transposed.heads), std::move(weights)};
    }
  }

  [[nodiscard]] int affordable_threads(std::int64_t n_batches) const {
    options_.budget.require(need(graph_));
    const std::size_t shared = shared_bytes(graph_);
    const std::size_t affordable =
        (std::max(options_.budget.available(), shared) - shared) / thread_bytes(graph_);
    const std::size_t most = std::min(at(n_batches), at(num_threads()));
    return static_cast<int>(std::clamp<std::size_t>(affordable, 1, most));
  }

  /// Fills the distances of a batch. Missing rows of the last batch get infinite distances.
  void fill(Workspace& workspace, std::int64_t first, std::int64_t last) const {
    std::fill_n(workspace.missing.values, batch_size, 0);
    for (vertex_t begin = 0, end; begin < graph_.n_vertices; begin = end) {
      end = std::min(graph_.n_vertices - begin, tile) + begin;
      for (int index = 0; index < batch_size; ++index) {
        L values[tile];  // part of a row: consecutive numbers convert quickly
        if (first + index < last) {
          const W* const row = rows_.row(first + index) + begin;
          for (vertex_t v = 0; v < end - begin; ++v) values[v] = narrowed<L>(row[v]);
        } else {
          std::fill_n(values, tile, infinity<L>());
        }
        for (vertex_t v = begin; v < end; ++v)
          workspace.distances[at(v)].values[index] = values[v - begin];
      }
    }
  }

  bool attach_all(const TaskContext& context, Workspace& workspace) const {
    const TreeBatch<L> batch{transposed_.view(), workspace.distances.data(),
                             workspace.predecessors.data(), tree_tolerance<L>(graph_.n_vertices),
                             &workspace.missing};
    for (vertex_t first = 0; first < graph_.n_vertices;) {
      if (!context.keep_on()) return false;
      const edge_t enough = batch.transposed.begin(first) + arcs_between_polls;
      vertex_t last = first + 1;
      while (last < graph_.n_vertices && batch.transposed.end(last) <= enough) ++last;
      if (options_.sums != Sums::in_any_order) {
        attach<Sums::along_paths>(batch, first, last);
      } else if constexpr (std::is_floating_point_v<L>) {
        attach<Sums::in_any_order>(batch, first, last);
      }
      first = last;
    }
    return true;
  }

  void write(const Workspace& workspace, std::int64_t first, std::int64_t last) const {
    for (vertex_t begin = 0, end; begin < graph_.n_vertices; begin = end) {
      end = std::min(graph_.n_vertices - begin, tile) + begin;
      for (std::int64_t i = first; i < last; ++i) {
        vertex_t* const tree = predecessors_ + i * graph_.n_vertices;
        for (vertex_t v = begin; v < end; ++v)
          tree[v] = workspace.predecessors[at(v)].values[i - first];
      }
    }
  }

  const CsrView<W> graph_;
  const DistanceRows<W>& rows_;
  const TreeOptions& options_;
  vertex_t* const predecessors_;
  Csr<L> transposed_;
};

/// Processes the rows row_of(0), row_of(1), .., one row per thread.
template <class W, class RowOf>
void recover_rows_in_parallel(const CsrView<W>& graph, const DistanceRows<W>& rows,
                              const TreeOptions& options, std::int64_t n_rows, RowOf&& row_of,
                              vertex_t* predecessors) {
  std::vector<std::optional<RoundedTree<W>>> workspaces(at(num_threads()));
  parallel_tasks(n_rows, num_threads(), n_rows, [&](const TaskContext& context, std::int64_t task) {
    recover_row(
        graph, rows, options, row_of(task), workspaces[at(context.rank())],
        [&] { return context.keep_on(); }, predecessors);
    context.finish(1);
  });
}

template <class W>
W farthest_of(const DistanceRows<W>& rows, vertex_t n_vertices) {
  return parallel_reduce(
      rows.size(), W{0}, [&](std::int64_t i) { return farthest_in_row(rows.row(i), n_vertices); },
      [](W a, W b) { return std::max(a, b); }, 16);
}

/// Processes rows in batches, in the narrowest type that holds all distances; 16 bits must also
/// hold all vertices.
template <class W>
void recover_in_batches(const CsrView<W>& graph, const DistanceRows<W>& rows,
                        const TreeOptions& options, vertex_t* predecessors) {
  if (options.sums == Sums::exact) {
    const W farthest = farthest_of(rows, graph.n_vertices);
    constexpr std::int16_t most = infinity<std::int16_t>();
    if (farthest < static_cast<W>(most) && graph.n_vertices <= most) {
      return BatchedTrees<W, std::int16_t>(graph, rows, options, predecessors).run();
    }
    if constexpr (sizeof(W) == 8) {
      if (farthest < static_cast<W>(infinity<std::int32_t>())) {
        return BatchedTrees<W, std::int32_t>(graph, rows, options, predecessors).run();
      }
    }
  }
  BatchedTrees<W, W>(graph, rows, options, predecessors).run();
}

}  // namespace

template <class W>
std::optional<MemoryNeed> most_need_of_trees(const CsrPattern& graph, std::int64_t n_rows,
                                             bool are_exact) {
  if (are_exact && n_rows < min_rows_to_transpose) return std::nullopt;
  MemoryNeed most = BatchedTrees<W, W>::need(graph);
  most.bytes = std::max(most.bytes, BatchedTrees<W, std::int16_t>::need(graph).bytes);
  if constexpr (sizeof(W) == 8) {
    most.bytes = std::max(most.bytes, BatchedTrees<W, std::int32_t>::need(graph).bytes);
  }
  return most;
}

template <class W>
bool sums_are_exact(const CsrView<W>& graph, const std::function<W()>& farthest,
                    bool negative_weights) {
  if constexpr (std::is_integral_v<W>) {
    return true;
  } else {
    constexpr double all_integers = all_integers_below<W>;
    const WeightSummary weights = summarise(graph);
    if (!weights.integers) return false;
    if (weights.largest * graph.n_vertices < all_integers) return true;
    // Without negative weights, the sums along a path do not exceed its length.
    return !negative_weights && farthest() < all_integers;
  }
}

template <class W>
Sums refined_sums(const CsrView<W>& graph, const DistanceRows<W>& rows,
                  const TreeOptions& options) {
  if (options.sums != Sums::in_any_order) return options.sums;
  const std::function<W()> farthest = [&] { return farthest_of(rows, graph.n_vertices); };
  return sums_are_exact(graph, farthest, options.negative_weights) ? Sums::exact : options.sums;
}

template <class W>
void recover_trees(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
                   vertex_t* predecessors) {
  if (rows.size() == 0) return;
  if (options.negative_weights) {
    recover_rows_in_parallel(
        graph, rows, options, rows.size(), [](std::int64_t i) { return i; }, predecessors);
  } else if (options.sums != Sums::in_any_order && rows.size() < min_rows_to_transpose) {
    // The rows are processed one after the other, each with all threads.
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      std::optional<RoundedTree<W>> unused;
      poll();
      recover_row(
          graph, rows, options, i, unused, [] { return true; }, predecessors);
    }
  } else {
    recover_in_batches(graph, rows, options, predecessors);
  }
}

template <class W>
void finish_trees(const CsrView<W>& graph, const DistanceRows<W>& rows, const TreeOptions& options,
                  std::span<const std::int64_t> unfinished, vertex_t* predecessors) {
  if (unfinished.empty()) return;
  recover_rows_in_parallel(
      graph, rows, options, static_cast<std::int64_t>(unfinished.size()),
      [&](std::int64_t i) { return unfinished[at(i)]; }, predecessors);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(most_need_of_trees)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sums_are_exact)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(refined_sums)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(recover_trees)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(finish_trees)

}  // namespace warpgraph
