#include "primitives/growth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace warpgraph {
namespace {

constexpr edge_t arcs_a_search = 4096;
constexpr int n_searches = 4;
/// A component that is smaller says nothing about the rest of the graph.
constexpr std::size_t fewest_vertices = 64;

/// The vertices that a short search has reached: a hash table, since the graph may be large.
class Reached {
 public:
  /// Returns whether the vertex is new, and remembers it.
  bool add(vertex_t v) {
    constexpr std::uint32_t multiplier = 2654435769U;  // 2^32 divided by the golden ratio
    auto slot = (static_cast<std::uint32_t>(v) * multiplier) >> (32U - log2_of_slots);
    while (slots_[slot] != no_vertex) {
      if (slots_[slot] == v) return false;
      slot = (slot + 1) % n_slots;
    }
    slots_[slot] = v;
    return true;
  }
  void clear() noexcept { slots_.fill(no_vertex); }

 private:
  static constexpr std::uint32_t log2_of_slots = 14;
  static constexpr std::uint32_t n_slots = 1U << log2_of_slots;
  static_assert(n_slots >= 2 * arcs_a_search);
  std::array<vertex_t, n_slots> slots_{};
};

/// Returns the number of vertices within each number of steps, of which the last one counts only
/// those that the first arcs lead to; and sets whether the search has seen all.
std::vector<double> ball_sizes(const CsrPattern& graph, vertex_t start, Reached& reached,
                               bool& has_ended) {
  reached.clear();
  reached.add(start);
  std::vector<vertex_t> found{start};
  std::vector<double> sizes{1};
  edge_t left = arcs_a_search;
  std::size_t begin = 0;
  while (begin < found.size() && left > 0) {
    const std::size_t end = found.size();
    for (; begin < end && left > 0; ++begin) {
      const edge_t first = graph.begin(found[begin]);
      const edge_t last = std::min<edge_t>(graph.end(found[begin]), first + left);
      left -= last - first;
      for (edge_t e = first; e < last; ++e) {
        const vertex_t v = graph.heads[e];
        if (v >= 0 && v < graph.n_vertices && reached.add(v)) found.push_back(v);
      }
    }
    begin = end;
    if (found.size() > end) sizes.push_back(static_cast<double>(found.size()));
  }
  has_ended = left > 0;
  return sizes;
}

double levels_of(const std::vector<double>& sizes, bool has_ended, double n_vertices) {
  const std::size_t depth = sizes.size() - 1;
  if (has_ended || depth < 2) return static_cast<double>(depth);
  const std::size_t half = depth / 2;
  const double power = std::log(sizes[depth] / sizes[half]) /
                       std::log(static_cast<double>(depth) / static_cast<double>(half));
  const double levels =
      static_cast<double>(depth) * std::pow(n_vertices / sizes[depth], 1 / std::max(power, 1.0));
  return std::min(levels, n_vertices);
}

}  // namespace

double estimate_levels(const CsrPattern& graph) {
  if (graph.n_vertices == 0) return 0;
  const auto reached = std::make_unique<Reached>();
  double most = 0;
  for (int i = 0; i < n_searches; ++i) {
    const auto start =
        static_cast<vertex_t>(std::int64_t{graph.n_vertices - 1} * i / (n_searches - 1));
    bool has_ended = false;
    const std::vector<double> sizes = ball_sizes(graph, start, *reached, has_ended);
    if (has_ended && sizes.back() < fewest_vertices && most > 0) continue;
    most = std::max(most, levels_of(sizes, has_ended, graph.n_vertices));
  }
  return most;
}

}  // namespace warpgraph
