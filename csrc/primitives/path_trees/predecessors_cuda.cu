// Predecessors from distances; sssp.hpp states the rule, and predecessors.cpp has the same steps
// for CPU cores. Threads race to write levels. The race is benign: all threads of a launch write
// the same value, and none of them uses a vertex of that level as a tail. Predecessors are atomic
// minima.
#include "core/interrupt.hpp"
#include "primitives/path_trees/device_predecessors.cuh"
#include "primitives/path_trees/predecessors.hpp"
#include "primitives/path_trees/smallest_tail.hpp"
#include "primitives/relaxation/device_arcs.cuh"
#include "primitives/relaxation/relax.hpp"

namespace warpgraph::shortest_paths {
namespace {

/// Number of levels that are launched before the host reads whether the last one was empty.
constexpr vertex_t levels_ahead = 8;

template <class W>
struct TreeView {
  vertex_t n_vertices;
  DeviceSources sources;
  const W* distances;
  vertex_t* predecessors;
  vertex_t* levels;

  /// Returns whether a source is a root: it is none if a path of negative length from another one
  /// reaches it.
  __device__ bool is_root(std::int64_t v) const {
    return distances[v] == W{0} && sources.has(static_cast<vertex_t>(v));
  }
  __device__ bool is_missing(std::int64_t v) const {
    return distances[v] != infinity<W>() && levels[v] == no_level;
  }
  /// Returns d[u] + w; infinite if one of the ends is not reached, or if v is a root.
  __device__ W through(vertex_t u, vertex_t v, W weight) const {
    const bool is_usable =
        distances[u] != infinity<W>() && distances[v] != infinity<W>() && !is_root(v);
    return is_usable ? extend(distances[u], weight) : infinity<W>();
  }
};

template <class W>
struct AttachBelowNearer {
  TreeView<W> tree;
  __device__ void operator()(vertex_t u, vertex_t v, W weight) const {
    const W through = tree.through(u, v, weight);
    if (through == infinity<W>() || through != tree.distances[v]) return;
    if (tree.distances[u] < through) lower_predecessor(tree.predecessors[v], u);
  }
};

/// Counts the reached vertices that have no level.
template <class W>
__global__ void count_missing(TreeView<W> tree, unsigned* count) {
  const std::int64_t v = cuda::global_index();
  if (v < tree.n_vertices && tree.is_missing(v)) atomicAdd(count, 1u);
}

/// Sets level 0 for vertices that are in the tree.
template <class W>
__global__ void set_first_levels(TreeView<W> tree) {
  const std::int64_t v = cuda::global_index();
  if (v >= tree.n_vertices) return;
  const bool is_known = tree.is_root(v) || tree.predecessors[v] != no_vertex;
  tree.levels[v] = is_known ? 0 : no_level;
}

/// Makes the sources without a level roots: rounding lowered them along a cycle.
template <class W>
__global__ void add_roots(TreeView<W> tree, vertex_t level) {
  const std::int64_t i = cuda::global_index();
  if (i >= tree.sources.n) return;
  vertex_t& own = tree.levels[tree.sources.at(i)];
  if (own == no_level) own = level;
}

/// Rule by which arcs are admitted from one level to the next: tight ones between equal distances,
/// all tight ones, or those of least slack.
enum class ArcRule { equal_distances, tight_arcs, least_slack };

template <class W>
struct AttachToLevel {
  TreeView<W> tree;
  ArcRule rule;
  W slack;  // for least_slack
  vertex_t level;
  vertex_t* last_level;

  __device__ bool admits(W from, W through, W to) const {
    if (rule == ArcRule::least_slack) return through - to <= slack;
    return through == to && (rule == ArcRule::tight_arcs || from == to);
  }

  __device__ void operator()(vertex_t u, vertex_t v, W weight) const {
    const vertex_t of_u = relaxed_load(tree.levels[u]);
    if (of_u == no_level || of_u > level || (of_u < level && rule != ArcRule::least_slack)) {
      return;
    }
    const vertex_t of_v = relaxed_load(tree.levels[v]);
    if (of_v != no_level && of_v != level + 1) return;
    const W through = tree.through(u, v, weight);
    if (through == infinity<W>() || !admits(tree.distances[u], through, tree.distances[v])) return;
    relaxed_store(tree.levels[v], level + 1);
    lower_predecessor(tree.predecessors[v], u);
    relaxed_store(*last_level, level + 1);
  }
};

/// Lowers *least to the least slack of the arcs from vertices with a level to vertices without.
template <class W>
struct FindLeastSlack {
  TreeView<W> tree;
  W* least;
  __device__ void operator()(vertex_t u, vertex_t v, W weight) const {
    if (tree.levels[u] == no_level || tree.levels[v] != no_level) return;
    const W through = tree.through(u, v, weight);
    if (through != infinity<W>()) lower(*least, static_cast<W>(through - tree.distances[v]));
  }
};

template <class W>
class TreeRecovery {
 public:
  TreeRecovery(const cuda::Stream& stream, const DeviceArcs<W>& arcs, TreeView<W> tree)
      : stream_(stream), arcs_(arcs), tree_(tree), result_(1, stream), least_(1, stream) {
    cuda::fill(tree.predecessors, no_vertex, tree.n_vertices, stream);
  }

  void run_non_negative() {
    for_each_arc(stream_, arcs_, AttachBelowNearer<W>{tree_});
    cuda::launch_for(stream_, tree_.n_vertices, set_first_levels<W>, tree_);
    if (missing() == 0) return;
    attach_level_by_level(0, ArcRule::equal_distances);
  }

  void run_negative() {
    cuda::launch_for(stream_, tree_.n_vertices, set_first_levels<W>, tree_);
    vertex_t level = attach_level_by_level(0, ArcRule::tight_arcs);
    while (missing() != 0) {
      // These vertices are reached only because of rounding; see predecessors.cpp.
      cuda::fill(least_.data(), infinity<W>(), 1, stream_);
      for_each_arc(stream_, arcs_, FindLeastSlack<W>{tree_, least_.data()});
      const W slack = cuda::read_back(least_.data(), stream_);
      if (slack == infinity<W>()) {
        cuda::launch_for(stream_, tree_.sources.n, add_roots<W>, tree_, level + 1);
      } else {
        launch_level(level, ArcRule::least_slack, slack);
      }
      level = attach_level_by_level(level + 1, ArcRule::tight_arcs);
    }
  }

 private:
  [[nodiscard]] unsigned missing() {
    auto* count = reinterpret_cast<unsigned*>(result_.data());
    cuda::fill_bytes(count, 0, 1, stream_);
    cuda::launch_for(stream_, tree_.n_vertices, count_missing<W>, tree_, count);
    return cuda::read_back(count, stream_);
  }

  void launch_level(vertex_t level, ArcRule rule, W slack) {
    for_each_arc(stream_, arcs_, AttachToLevel<W>{tree_, rule, slack, level, result_.data()});
  }

  /// Attaches the levels after `level`, and returns the last level that has a vertex. A launch for
  /// an empty level does nothing, so several are made before the result is read.
  vertex_t attach_level_by_level(vertex_t level, ArcRule rule) {
    cuda::fill(result_.data(), level, 1, stream_);
    vertex_t last = level;
    while (last == level) {
      for (vertex_t i = 0; i < levels_ahead; ++i) launch_level(level++, rule, W{0});
      last = cuda::read_back(result_.data(), stream_);
      poll();
    }
    return last;
  }

  const cuda::Stream& stream_;
  const DeviceArcs<W> arcs_;
  const TreeView<W> tree_;
  cuda::DeviceBuffer<vertex_t> result_;
  cuda::DeviceBuffer<W> least_;
};

}  // namespace

template <class W>
void recover_predecessors_on(const cuda::Stream& stream, const DeviceArcs<W>& arcs,
                             DeviceSources sources, bool negative_weights, const W* distances,
                             vertex_t* predecessors) {
  const vertex_t n_vertices = arcs.graph.n_vertices;
  const cuda::DeviceBuffer<vertex_t> levels(static_cast<std::size_t>(n_vertices), stream);
  TreeRecovery<W> recovery(stream, arcs,
                           {n_vertices, sources, distances, predecessors, levels.data()});
  if (negative_weights) {
    recovery.run_negative();
  } else {
    recovery.run_non_negative();
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(recover_predecessors_on)

}  // namespace warpgraph::shortest_paths
