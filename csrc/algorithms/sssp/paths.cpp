#include "algorithms/sssp/sssp.hpp"
#include "core/atomics.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

namespace warpgraph {
namespace {

/// Follows predecessors. Paths share vertices, at worst nearly all of them; so the length of the
/// path to each visited vertex (its number of vertices) is stored, and a later path is followed
/// only to the first vertex with a stored length. Benign race: several threads may visit the same
/// vertices at the same time, but they store the same lengths, and each thread visits a vertex for
/// one path only.
class PathFollower {
 public:
  PathFollower(std::span<const vertex_t> predecessors, vertex_t source)
      : predecessors_(predecessors), lengths_(static_cast<std::int64_t>(predecessors.size())) {
    parallel_for(
        static_cast<std::int64_t>(predecessors.size()),
        [&](std::int64_t v) { lengths_[v] = unknown; }, light_grain);
    lengths_[source] = 1;
  }

  [[nodiscard]] static std::size_t bytes(std::size_t n_vertices) noexcept {
    return n_vertices * sizeof(vertex_t);
  }

  /// Returns the number of vertices on the path from the source to the target; 0 if there is none.
  [[nodiscard]] vertex_t length(vertex_t target) const {
    vertex_t steps = 0;
    vertex_t v = target;
    vertex_t found = relaxed_load(lengths_[v]);
    for (; found == unknown; ++steps) {
      const vertex_t previous = predecessor(v, target, steps);
      found = previous < 0 ? unreached : relaxed_load(lengths_[previous]);
      v = previous;
    }
    const vertex_t path_length = found == unreached ? unreached : found + steps;
    store_lengths(target, steps, path_length);
    return path_length;
  }

  /// Writes the `count` vertices of the path to the places before `end`.
  void write(vertex_t target, edge_t count, vertex_t* end) const {
    for (vertex_t v = target; count > 0; --count) {
      *--end = v;
      v = predecessors_[static_cast<std::size_t>(v)];
    }
  }

 private:
  static constexpr vertex_t unknown = -1;
  static constexpr vertex_t unreached = 0;
  static constexpr vertex_t steps_per_poll = 1 << 20;

  /// Returns the predecessor of v, negative if there is none. `steps` arcs lead from v to the
  /// target: as many as there are vertices only if the predecessors form a cycle.
  [[nodiscard]] vertex_t predecessor(vertex_t v, vertex_t target, vertex_t steps) const {
    const auto n = static_cast<vertex_t>(predecessors_.size());
    if (steps % steps_per_poll == 0) poll();
    EXPECTS(steps < n, "the predecessors of vertex ", target,
            " lead in a circle instead of to a source");
    const vertex_t previous = predecessors_[static_cast<std::size_t>(v)];
    EXPECTS(previous < n, "predecessors[", v, "] is ", previous, ", but there are ", n,
            " vertices");
    return previous;
  }

  /// Stores the lengths of the paths to the last `steps` vertices of the target's path, which has
  /// `length` vertices.
  void store_lengths(vertex_t target, vertex_t steps, vertex_t length) const {
    for (vertex_t v = target; steps > 0; --steps) {
      relaxed_store(lengths_[v], length);
      if (length != unreached) --length;
      v = predecessors_[static_cast<std::size_t>(v)];
    }
  }

  std::span<const vertex_t> predecessors_;
  HostArray<vertex_t> lengths_;
};

}  // namespace

Paths reconstruct_paths(std::span<const vertex_t> predecessors, vertex_t source,
                        std::span<const vertex_t> targets) {
  const char* const advice = "ask for fewer targets at a time";
  const std::size_t n_offsets = targets.size() + 1;
  const std::size_t table = PathFollower::bytes(predecessors.size()) + n_offsets * sizeof(edge_t);
  MemoryBudget().require("following the predecessors", table, advice);
  const PathFollower follower(predecessors, source);
  const auto n_paths = static_cast<std::int64_t>(targets.size());
  Paths paths;
  paths.offsets.resize(n_offsets);
  parallel_for(
      n_paths,
      [&](std::int64_t i) {
        const auto path = static_cast<std::size_t>(i);
        paths.offsets[path] = follower.length(targets[path]);
      },
      16);
  const edge_t total = exclusive_scan_in_place(paths.offsets.data(), n_paths + 1);
  MemoryBudget().require("storing the vertices of the paths",
                         static_cast<std::size_t>(total) * sizeof(vertex_t), advice);
  paths.vertices.resize(static_cast<std::size_t>(total));
  parallel_for(
      n_paths,
      [&](std::int64_t i) {
        const auto path = static_cast<std::size_t>(i);
        const edge_t end = paths.offsets[path + 1];
        follower.write(targets[path], end - paths.offsets[path], paths.vertices.data() + end);
      },
      16);
  return paths;
}

void nearest_sources(std::span<const vertex_t> predecessors, std::span<const vertex_t> sources,
                     std::span<vertex_t> nearest) {
  constexpr vertex_t unknown = -2;
  constexpr std::int64_t vertices_per_block = 256;
  constexpr std::int64_t steps_per_poll = 1 << 20;
  const auto n = static_cast<std::int64_t>(predecessors.size());
  const auto predecessor = [&](vertex_t v) { return predecessors[at(v)]; };
  parallel_for(
      n, [&](std::int64_t v) { nearest[at(v)] = predecessors[at(v)] < 0 ? no_vertex : unknown; },
      light_grain);
  // A source that has a predecessor is in the tree of another source.
  for (const vertex_t source : sources) {
    if (predecessor(source) < 0) nearest[at(source)] = source;
  }
  // Benign race: threads that follow the same path store the same source.
  parallel_for(
      n,
      [&](std::int64_t i) {
        const auto first = static_cast<vertex_t>(i);
        vertex_t root = unknown;
        std::int64_t steps = 0;
        for (vertex_t v = first; root == unknown; v = predecessor(v)) {
          root = relaxed_load(nearest[at(v)]);
          if (++steps % steps_per_poll == 0) poll();
        }
        for (vertex_t v = first; --steps > 0; v = predecessor(v)) {
          relaxed_store(nearest[at(v)], root);
        }
      },
      vertices_per_block);
}

}  // namespace warpgraph
