// The lightest entry of a row. Private to this folder.
#pragma once

#include "algorithms/mst/edge_order.hpp"
#include "core/processor/vectors.hpp"

#include <algorithm>

namespace warpgraph::mst {

/// The result of the scan of a row.
struct RowSummary {
  edge_t nearest;      // position of the arc that comes first in Kruskal's order, or -1
  edge_t first_upper;  // no entry above the diagonal lies before it
};

/// The most entries of a row that is processed without branches.
inline constexpr edge_t short_row = 4;

/// The search for the lightest entry of a row. An entry below the diagonal stands for its
/// transposed entry, which lies in an earlier row: of equal weights the smaller head comes first.
template <class W>
class RowScan {
 public:
  using Key = order_key_t<W>;

  RowScan(const KeyedGraph<W>& graph, vertex_t u) : graph_(graph), u_(u) {}

  /// Scans a row in Kruskal's order up to the first heavier entry. The scan may not have reached
  /// the first entry above the diagonal.
  RowSummary of_sorted() {
    for (edge_t e = graph_.begin(u_); e < graph_.end(u_); ++e) {
      if (nearest_ >= 0 && graph_.key(e) > min_key_) break;
      compare(e);
    }
    return {nearest_, graph_.begin(u_)};
  }

  /// Scans a row of at most short_row entries, without branches: on roads, neither the length of a
  /// row nor the place of its lightest entry can be predicted.
  [[gnu::always_inline]] RowSummary of_short() {
    const edge_t begin = graph_.begin(u_);
    const edge_t end = graph_.end(u_);
    if (begin == end) return {-1, end};
    edge_t nearest = -1;
    edge_t first_upper = end;
    Order least = ~Order{0};
    for (edge_t i = 0; i < short_row; ++i) {
      const edge_t e = std::min(begin + i, end - 1);  // again the last one changes nothing
      const vertex_t v = graph_.heads[e];
      const Order order = Order{graph_.key(e)} << 32 | static_cast<std::uint32_t>(std::min(u_, v));
      // Masks: GCC makes a branch of selections that share a condition.
      const edge_t is_before = -static_cast<edge_t>((v != u_) & (order < least));
      nearest ^= (nearest ^ e) & is_before;
      least ^= (least ^ order) & static_cast<Order>(is_before);
      first_upper ^= (first_upper ^ e) & -static_cast<edge_t>((v > u_) & (e < first_upper));
    }
    return {nearest, first_upper};
  }

  /// Scans any row. Only pieces of a long row with a key that is small enough are searched for its
  /// position.
  [[gnu::always_inline]] RowSummary of_any() {
    if (graph_.degree(u_) <= short_row) return of_short();
    constexpr edge_t long_piece = 64;
    constexpr edge_t worth_a_vector = 16;
    const edge_t end = graph_.end(u_);
    edge_t first_upper = end;
    for (edge_t piece = graph_.begin(u_), next; piece < end; piece = next) {
      next = std::min(piece + long_piece, end);
      if (next - piece < worth_a_vector) {
        for (edge_t e = piece; e < next; ++e) {
          if (graph_.heads[e] > u_) first_upper = std::min(first_upper, e);
          compare(e);
        }
        continue;
      }
      const PieceSummary summary = summarise(piece, next - piece);
      if (summary.first_upper < next) first_upper = std::min(first_upper, summary.first_upper);
      if (summary.min_key > min_key_) continue;
      for (edge_t e = piece; e < next; ++e) compare(e);
    }
    return {nearest_, first_upper};
  }

 private:
  __extension__ using WideOrder = unsigned __int128;
  using Order = std::conditional_t<sizeof(Key) == 4, std::uint64_t, WideOrder>;

  struct PieceSummary {
    Key min_key;
    edge_t first_upper;
  };

  /// Summarises a piece without branches, so that it vectorises. Self loops count, too.
  [[gnu::always_inline]] PieceSummary summarise(edge_t begin, edge_t n) const {
    const W* const weights = graph_.weights + begin;
    const vertex_t* const heads = graph_.heads + begin;
    const Key flip = graph_.flip;
    const vertex_t u = u_;
    const auto length = static_cast<std::int32_t>(n);
    Key min_key = std::numeric_limits<Key>::max();
    std::int32_t first_upper = length;
    for (std::int32_t i = 0; i < length; ++i) {
      const Key key = order_key(weights[i]) ^ flip;
      min_key = key < min_key ? key : min_key;
      const std::int32_t upper = heads[i] > u ? i : length;
      first_upper = upper < first_upper ? upper : first_upper;
    }
    return {min_key, begin + first_upper};
  }

  [[gnu::always_inline]] void compare(edge_t e) {
    const Key key = graph_.key(e);
    const vertex_t v = graph_.heads[e];
    if (key > min_key_ || v == u_) return;
    const vertex_t row = std::min(u_, v);
    if (nearest_ >= 0 && key == min_key_ && row >= min_row_) return;
    nearest_ = e;
    min_key_ = key;
    min_row_ = row;
  }

  const KeyedGraph<W>& graph_;
  const vertex_t u_;
  edge_t nearest_ = -1;
  Key min_key_ = std::numeric_limits<Key>::max();
  vertex_t min_row_ = 0;
};

/// Calls visit(u, summary) for the rows first..last.
template <class W, class Visit>
void summarise_rows(const KeyedGraph<W>& graph, vertex_t first, vertex_t last, bool are_sorted,
                    const Visit& visit) {
  if (are_sorted) {
    for (vertex_t u = first; u < last; ++u) visit(u, RowScan<W>(graph, u).of_sorted());
    return;
  }
  with_widest_vectors([&]<int bytes>() __attribute__((always_inline)) {
    for (vertex_t u = first; u < last; ++u) {
      visit(u, RowScan<W>(graph, u).of_any());
    }
  });
}

}  // namespace warpgraph::mst
