// What a plan may know of a graph, or of points. Sizes are always known. The rest are functions,
// since finding the answer may take as long as a search: a plan calls them only where the answer
// decides, and whoever gives the facts keeps the answers.
#pragma once

#include "core/device.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/memory_need.hpp"
#include "plan/model/model.hpp"
#include "primitives/graph_shape.hpp"
#include "primitives/metric/metrics.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace warpgraph::plan {

struct Plan;
struct Request;

/// The depth of a breadth-first search that looks no further than `max_hops_of_probe`.
struct Depth {
  int hops = 0;              // one more than the bound: there are further vertices
  bool reaches_most = true;  // at least half of the vertices that have arcs
};
inline constexpr int max_hops_of_probe = 12;

/// The numbers in which distances are added up.
struct Sums {
  std::string_view type;  // as of NumPy
  bool are_exact = false;
};

/// A form of the graph that a call may make, instead of that with all edges both ways.
enum class Form { none, transposed, upper_triangle };

/// The memory that the making of a form asks for, in this order, and the bytes of the form.
struct NeedsOfForm {
  std::vector<MemoryNeed> needs;
  std::size_t bytes = 0;
};

struct Facts {
  std::int64_t n_vertices = 0;  // or points
  std::int64_t n_arcs = 0;      // that the algorithm reads: of the undirected form, if it is that
  std::int64_t given_arcs = 0;  // of the caller's graph
  std::size_t bytes = 0;        // of the arrays of the caller's graph
  std::size_t structure_bytes = 0;  // of those without weights
  bool is_on_devices = false;       // copies are kept on CUDA devices
  bool is_new_on_devices = false;   // this call copies the graph before its plan, to check it
  bool makes_undirected = false;    // the form with all edges both ways
  bool has_upper_triangle = false;  // the form whose edges a forest reads
  bool has_hierarchy = false;       // for shortest paths
  bool has_landmarks = false;       // the distances of the ones that are asked for
  bool has_transposed = false;
  bool is_used = false;         // by an earlier call: what calls need is made
  double lost = 0;              // seconds of calls for the graph, since it was not on a GPU
  double lost_searching = 0;    // and since it had no hierarchy
  int n_directed_searches = 0;  // that might have gained by a transposed graph
  int n_gathers = 0;            // by calls that might have gained by another order of the vertices
  bool has_edge_lists = false;  // GPUs have had memory for the lists of edges that they divide
  std::int64_t n_dimensions = 0;  // of points
  std::int64_t n_centres = 0;     // of clusters
  std::int64_t n_new = 0;         // points that join others, or whose neighbours they are
  std::int64_t n_neighbors = 0;   // of each; 0: any number
  bool finds_farthest = false;    // of these neighbours, only the distance of the farthest
  std::int64_t n_iterations = 0;  // of a search for centres, at most; 0: any number
  std::int64_t n_runs = 1;        // of that search, from different starts
  bool finds_start = false;       // the first centres are not given, and not drawn
  std::int64_t n_uniforms = 0;    // random numbers that finding them takes
  std::int64_t min_samples = 1;   // of the distances along which a tree of points is found
  double alpha = 1;               // by which these distances are divided
  bool converts_weights = false;  // to the type of the distances, which the caller's have not

  /// The metric of points, where it is not Euclidean distance alone.
  MetricName metric = MetricName::euclidean;

  [[nodiscard]] double arcs_per_vertex() const noexcept {
    return n_vertices == 0 ? 0 : static_cast<double>(n_arcs) / static_cast<double>(n_vertices);
  }

  // Functions about the graph that is searched. They are empty where a plan must not ask.

  /// Returns whether a weight is negative.
  std::function<bool()> has_negative;
  /// The levels of a breadth-first search, estimated.
  std::function<double()> levels;
  /// The largest number of arcs of a vertex.
  std::function<std::int64_t()> longest_row;
  /// Returns whether every arc is stored both ways, with any weights.
  std::function<bool()> is_mirrored;
  /// Returns whether is_mirrored() was found before, and is true.
  std::function<bool()> is_known_mirrored;
  /// The depth of a search from a vertex of that many arcs.
  std::function<Depth()> depth_from_hub;
  /// Returns where a sample of the arcs leads.
  std::function<Locality()> locality;
  /// The numbers that Floyd and Warshall's method adds.
  std::function<Sums()> sums_of_apsp;
  /// Returns whether float64 holds all sums of weights along paths.
  std::function<bool()> has_exact_sums;
  /// Returns whether float32 is proven to hold all distances, which are integers.
  std::function<bool()> fits_float32;
  /// Bytes that a method of many_to_many takes for the request on a device, beside the graph and
  /// the result.
  std::function<std::size_t(const Request& request, std::string_view method, Device device)>
      bytes_of_searches;
  /// Returns what the algorithm asks for on the host before it runs by a plan, in this order: one
  /// step after the other. Nothing where that is not known, as on GPUs.
  std::function<std::vector<MemoryNeed>(const Plan& plan)> needs;
  /// Returns the same for the forms of the graph that are made before.
  std::function<NeedsOfForm(Form form)> needs_of_form;
  /// Returns the seconds that calls like this one have taken for the graph; nothing if none has
  /// run that way.
  std::function<std::optional<double>(std::string_view method, Place place)> learnt;
  /// Returns whether a GPU keeps the edges in the order of a forest's method "boruvka".
  std::function<bool(Device device)> has_sorted_edges;
};

}  // namespace warpgraph::plan
