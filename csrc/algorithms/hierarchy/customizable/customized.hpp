// What customization computes with and makes, on cores and GPUs alike.
#pragma once

#include "algorithms/hierarchy/customizable/customizable.hpp"
#include "algorithms/hierarchy/number_types.hpp"
#include "core/error.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <type_traits>

namespace warpgraph::hierarchy_detail {

/// Lengths are added as unsigned numbers: the sum of two that are capped at unreached() fits.
template <class T>
struct LengthOf {
  using Type = std::make_unsigned_t<T>;
};
template <>
struct LengthOf<double> {
  using Type = double;
};

/// A hierarchy, and an upper bound of all distances in it, if there is one: a path may go up to the
/// root of its component in the elimination tree and down again, so the longest of the shortest
/// ways up and that of the ways down are added. There is no bound if a component has more roots: no
/// path may lead up from a vertex, or the lengths of its arcs may have been capped.
template <class T>
struct Customized {
  Hierarchy<T> hierarchy;
  bool has_bound = false;
  typename LengthOf<T>::Type bound{};
};

/// The vertices without arcs up, and the longest of the shortest paths to one of them.
template <class Length>
struct RootCount {
  std::int64_t n = 0;
  Length longest_way{0};

  void add(edge_t n_kept, Length way) {
    n += n_kept == 0 ? 1 : 0;
    longest_way = std::max(longest_way, way);
  }
  void add(const RootCount& part) {
    n += part.n;
    longest_way = std::max(longest_way, part.longest_way);
  }
};

/// Sets the bound by the roots that are reached down and up, which are the same if `symmetric`.
template <class T, class Length>
void set_bound(Customized<T>& made, vertex_t n_parts, const RootCount<Length>& down,
               const RootCount<Length>& up) {
  const bool symmetric = made.hierarchy.symmetric;
  made.bound = down.longest_way + (symmetric ? down : up).longest_way;
  made.has_bound = down.n == n_parts && (symmetric || up.n == n_parts);
}

/// Returns whether an arc is kept: whether there is no shorter path. Sums of float64 must differ by
/// more than they may be off, `margin`.
template <class Length>
WARPGRAPH_HOST_DEVICE bool is_kept(Length length, Length shorter, Length none, double margin) {
  if constexpr (std::is_floating_point_v<Length>) {
    return length < none && !(shorter * (1 + margin) < length);
  } else {
    return length < none && shorter >= length;
  }
}

/// Returns how much the two sums that are compared may be off, relative to them: each by four
/// roundings of 2^-53 a level, as in Hierarchy::rounding_units.
inline double margin_of(const HierarchyStructure& structure) {
  return 8 * static_cast<double>(structure.level_starts.size()) * 0x1p-53;
}

/// Returns a hierarchy without arcs.
template <class T>
Hierarchy<T> without_arcs(const HierarchyStructure& structure, bool symmetric) {
  Hierarchy<T> made;
  made.n_vertices = structure.n_vertices;
  made.symmetric = symmetric;
  made.level_starts = structure.level_starts;
  made.rounding_units = 4 * static_cast<double>(structure.level_starts.size());
  made.vertices = structure.vertices;
  made.position_of = structure.position_of_vertex;
  made.down.offsets.resize(static_cast<std::size_t>(structure.n_vertices) + 1);
  if (!symmetric) made.up.offsets.resize(made.down.offsets.size());
  return made;
}

/// Returns the largest finite weight.
template <class W>
double heaviest(const CsrView<W>& graph) {
  if (graph.weights == nullptr) return 1;
  return parallel_reduce(
      graph.n_arcs, 0.0,
      [&](std::int64_t e) {
        const auto weight = static_cast<double>(graph.weights[e]);
        return weight == infinity<double>() ? 0.0 : weight;
      },
      [](double a, double b) { return std::max(a, b); }, light_grain);
}

/// Returns customize(T{}).hierarchy for the narrowest number type in which sums are exact, where it
/// returns a Customized<T>. Throws as customize_hierarchy does.
template <class W, class Customize>
AnyHierarchy customize_in_narrowest_type(const HierarchyStructure& structure,
                                         const CsrView<W>& graph, const Customize& customize) {
  EXPECTS(graph.n_vertices == structure.n_vertices && graph.n_arcs == structure.n_edges,
          "the hierarchy is of a graph of ", structure.n_vertices, " vertices and ",
          structure.n_edges, " edges, these are the weights of one of ", graph.n_vertices, " and ",
          graph.n_arcs);
  constexpr bool is_float = !std::is_integral_v<W>;
  const bool is_integral = all_weights_integral(graph);
  if constexpr (is_float) {
    if (!is_integral) return customize(double{}).hierarchy;
  }
  const double largest = heaviest(graph);
  // A path goes up, then down, by fewer than n arcs each. One is added against rounding.
  const double longest = 2 * (graph.n_vertices + 1.0) * (largest + 1);
  if (longest < unreached<std::int32_t>()) return customize(std::int32_t{}).hierarchy;
  if (longest >= static_cast<double>(unreached<std::int64_t>())) {
    if constexpr (is_float) return customize(double{}).hierarchy;
    throw std::overflow_error(weights_too_large);
  }
  // Hardly any distance is as long: 32 bits are tried, and the bound of the result tells whether
  // they suffice.
  if (largest < unreached<std::int32_t>()) {
    auto made = customize(std::int32_t{});
    const bool fits = made.has_bound && made.bound < std::uint32_t{unreached<std::int32_t>()};
    if (fits) return std::move(made.hierarchy);
  }
  return to_narrowest_type(customize(std::int64_t{}).hierarchy);
}

}  // namespace warpgraph::hierarchy_detail
