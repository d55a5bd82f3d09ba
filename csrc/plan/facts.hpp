// What a plan may know of a graph. Sizes are always known. The rest is a function, since finding it
// may take as long as a search: a plan asks only where the answer decides, and whoever gives the
// facts keeps the answers.
#pragma once

#include "core/device.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpgraph::plan {

/// The depth of a breadth-first search that looks no further than `most_hops_of_probe`.
struct Depth {
  int hops = 0;              // one more than the bound: there are further vertices
  bool reaches_most = true;  // at least half of the vertices that have arcs
};
inline constexpr int most_hops_of_probe = 12;

/// The extent of searches from some vertices, spread evenly, and one of the largest degree.
struct Reach {
  double share = 1;   // of the vertices that a source reaches
  int most_hops = 0;  // of any
};

/// The numbers in which distances are added up.
struct Sums {
  std::string_view type;  // as of NumPy
  bool are_exact = false;
};

class Facts {
 public:
  virtual ~Facts() = default;

  std::int64_t n_vertices = 0;
  std::int64_t n_arcs = 0;      // that the algorithm reads: of the undirected form, if it is that
  std::int64_t given_arcs = 0;  // of the caller's graph
  std::size_t bytes = 0;        // of the arrays of the caller's graph
  std::size_t structure_bytes = 0;  // of those without weights
  bool is_on_devices = false;       // copies are kept on CUDA devices
  bool has_hierarchy = false;       // for shortest paths
  bool has_transposed = false;
  int n_directed_searches = 0;  // that might have gained by a transposed graph
  bool has_edge_lists = false;  // GPUs have had memory for the lists of edges that they divide

  [[nodiscard]] double arcs_per_vertex() const noexcept {
    return n_vertices == 0 ? 0 : static_cast<double>(n_arcs) / static_cast<double>(n_vertices);
  }

  // Of the graph that is searched.

  /// Returns whether a weight is negative.
  [[nodiscard]] virtual bool has_negative() const = 0;
  /// The largest number of arcs of a vertex.
  [[nodiscard]] virtual std::int64_t longest_row() const = 0;
  /// Returns whether every arc is stored both ways, with any weights.
  [[nodiscard]] virtual bool is_mirrored() const = 0;
  /// Returns whether is_mirrored() was found before, and is true.
  [[nodiscard]] virtual bool is_known_mirrored() const = 0;
  /// The depth of a search from a vertex of that many arcs.
  [[nodiscard]] virtual Depth depth_from_hub() const = 0;
  /// Returns whether a breadth-first search from a vertex ends within so many levels, found in so
  /// many bytes (0: those that are free).
  [[nodiscard]] virtual bool is_shallow(std::int32_t source, int levels,
                                        std::size_t memory_limit) const = 0;
  /// Returns the extent of searches from some vertices and a hub.
  [[nodiscard]] virtual Reach reach_of_some() const = 0;
  /// The numbers that Floyd and Warshall's method adds.
  [[nodiscard]] virtual Sums sums_of_apsp() const = 0;
  /// Returns whether float64 holds all sums of weights along paths.
  [[nodiscard]] virtual bool has_exact_sums() const = 0;
  /// Returns whether float32 is proven to hold all distances, which are integers.
  [[nodiscard]] virtual bool fits_float32() const = 0;
  /// Bytes that a method of many_to_many takes on a device beside the graph and the result.
  [[nodiscard]] virtual std::size_t bytes_of_searches(std::string_view method,
                                                      Device device) const = 0;
};

}  // namespace warpgraph::plan
