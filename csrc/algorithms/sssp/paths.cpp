#include "algorithms/sssp/sssp.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"

namespace warpgraph {
namespace {

class PathFollower {
 public:
  PathFollower(std::span<const vertex_t> predecessors, vertex_t source)
      : predecessors_(predecessors), source_(source) {}

  /// Number of vertices from the source to the target; 0 if the source is not where it begins.
  [[nodiscard]] edge_t length(vertex_t target) const {
    const auto n = static_cast<vertex_t>(predecessors_.size());
    edge_t count = 1;
    for (vertex_t v = target; v != source_; ++count) {
      EXPECTS(count <= n, "the predecessors of vertex ", target,
              " lead in a circle instead of to a source");
      const vertex_t previous = predecessors_[static_cast<std::size_t>(v)];
      if (previous < 0) return 0;
      EXPECTS(previous < n, "predecessors[", v, "] is ", previous, ", but there are ", n,
              " vertices");
      v = previous;
    }
    return count;
  }

  /// Writes the path so that its last vertex comes before `end`.
  void write(vertex_t target, edge_t count, vertex_t* end) const {
    for (vertex_t v = target; count > 0; --count) {
      *--end = v;
      v = predecessors_[static_cast<std::size_t>(v)];
    }
  }

 private:
  std::span<const vertex_t> predecessors_;
  vertex_t source_;
};

}  // namespace

Paths reconstruct_paths(std::span<const vertex_t> predecessors, vertex_t source,
                        std::span<const vertex_t> targets) {
  const PathFollower follower(predecessors, source);
  const auto n_paths = static_cast<std::int64_t>(targets.size());
  Paths paths;
  paths.offsets.resize(targets.size() + 1);
  parallel_for(
      n_paths,
      [&](std::int64_t i) {
        const auto path = static_cast<std::size_t>(i);
        paths.offsets[path] = follower.length(targets[path]);
      },
      16);
  const edge_t total = exclusive_scan_in_place(paths.offsets.data(), n_paths + 1);
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

}  // namespace warpgraph
