// What searches by hops and by distances share: where paths end, the sums over all sources, the
// bounds of counts. Not for use outside this folder.
#pragma once

#include "algorithms/betweenness/betweenness.hpp"
#include "algorithms/betweenness/long_count.hpp"
#include "core/fixed_point_sum.hpp"
#include "core/function_ref.hpp"
#include "core/memory/host_vector.hpp"
#include "primitives/row_sums/row_sums.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace warpgraph::betweenness {

/// Returns whether a search shall go on.
using KeepOn = FunctionRef<bool()>;

/// Counts of any size: that of v, a vertex or its place, is counts[v] * 2^(512 * exponents[v]).
class LongCounts {
 public:
  static constexpr double limit = LongCount::limit;
  static constexpr std::size_t bytes_a_vertex = sizeof(std::int32_t);

  LongCounts() = default;
  explicit LongCounts(vertex_t n_vertices) : exponents_(n_vertices) {}
  [[nodiscard]] bool is_empty() const noexcept { return !exponents_; }

  /// Makes the count of v, which is in `counts`, one without an exponent.
  void set(vertex_t v) const { exponents_[v] = 0; }

  /// Takes a factor from a count that is complete. Returns whether it has an exponent then.
  bool shorten(double* counts, vertex_t u) const {
    LongCount count = of(counts, u);
    count.shorten();
    put(counts, u, count);
    return count.exponent > 0;
  }
  /// Adds the count of u to that of v.
  void add(double* counts, vertex_t u, vertex_t v) const {
    LongCount sum = of(counts, v);
    sum.add(of(counts, u));
    put(counts, v, sum);
  }
  /// Returns the factor of the quotient of two items of `counts`: u's is divided by v's, which has
  /// no smaller exponent.
  [[nodiscard]] double quotient(vertex_t u, vertex_t v) const {
    return LongCount::power(exponents_[v] - exponents_[u]);
  }

 private:
  LongCount of(const double* counts, vertex_t v) const { return {counts[v], exponents_[v]}; }
  void put(double* counts, vertex_t v, const LongCount& count) const {
    counts[v] = count.number;
    exponents_[v] = count.exponent;
  }

  HostArray<std::int32_t> exponents_;
};

/// The error of a weight that changes no distance.
inline constexpr std::string_view lost_weight =
    "a weight is so small that a distance does not change where it is added, so shortest paths "
    "cannot be counted; scale the weights to integers, or remove such edges";

/// The vertices where paths end.
class PathEnds {
 public:
  PathEnds(std::span<const vertex_t> targets, vertex_t n_vertices) {
    if (targets.empty()) return;
    is_end_.resize(static_cast<std::size_t>(n_vertices));
    for (const vertex_t v : targets) {
      std::uint8_t& is_end = is_end_[static_cast<std::size_t>(v)];
      n_ends_ += is_end == 0 ? 1 : 0;
      is_end = 1;
    }
  }
  [[nodiscard]] bool are_all() const noexcept { return is_end_.empty(); }
  /// Returns 1 for each vertex where paths end, else 0; nothing if they are all.
  [[nodiscard]] std::span<const std::uint8_t> flags() const noexcept { return is_end_; }
  [[nodiscard]] bool has(vertex_t v) const noexcept {
    return are_all() || is_end_[static_cast<std::size_t>(v)] != 0;
  }
  /// Returns the number of ends of paths from a source, if these are not all vertices.
  [[nodiscard]] vertex_t number_beside(vertex_t source) const noexcept {
    return n_ends_ - (has(source) ? 1 : 0);
  }

 private:
  std::vector<std::uint8_t> is_end_;
  vertex_t n_ends_ = 0;
};

/// The sums of the dependencies of sources: on vertices, or on arcs.
template <bool of_arcs>
class Totals {
 public:
  Totals(const CsrPattern& graph, bool endpoints)
      : size_(size_for(graph)), endpoints_(endpoints && !of_arcs), sums_(size_) {
    std::fill_n(sums_.get(), size_, FixedPointSum{});
  }
  static std::size_t bytes_needed(const CsrPattern& graph) {
    return static_cast<std::size_t>(size_for(graph)) * sizeof(FixedPointSum);
  }
  [[nodiscard]] FixedPointSum operator[](std::int64_t i) const { return sums_[i]; }

  void prefetch(vertex_t u) const {
    if constexpr (!of_arcs) __builtin_prefetch(sums_.get() + u, 1);
  }

  /// Adds the dependency on u, which is not the source, and of the arcs that leave it. `count` is
  /// the number of paths to u. part_of(head, position) is the part of an arc in the sum of the row.
  template <class PartOf>
  [[gnu::always_inline]] void add(const CsrPattern& graph, vertex_t u, double count,
                                  double dependency, bool is_end, const PartOf& part_of) const {
    if constexpr (of_arcs) {
      if (dependency == 0) return;
      for (edge_t e = graph.begin(u), end = graph.end(u); e < end; ++e) {
        const double part = part_of(graph.heads[e], e);
        if (part != 0) sums_[e].add(count * part);
      }
    } else {
      sums_[u].add(dependency + (endpoints_ && is_end ? 1 : 0));
    }
  }
  /// Adds the paths that begin at a source.
  void add_paths(vertex_t source, vertex_t n_paths) const {
    if (endpoints_) sums_[source].add(n_paths);
  }

 private:
  static std::int64_t size_for(const CsrPattern& graph) {
    return of_arcs ? graph.n_arcs : std::int64_t{graph.n_vertices};
  }
  const std::int64_t size_;
  const bool endpoints_;
  HostArray<FixedPointSum> sums_;
};

}  // namespace warpgraph::betweenness
