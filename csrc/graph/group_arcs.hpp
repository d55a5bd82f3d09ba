// Arcs in any order become the rows of a CSR matrix: the one routine behind reading edge lists,
// turning graphs round, storing edges both ways, and generating graphs.
//
// It is a counting sort by tail in two levels, stable, so that a row keeps the order in which its
// arcs came, whatever the number of threads. The list is cut into chunks and the vertices into
// buckets of neighbouring numbers. A first look counts each chunk's arcs in each bucket; a running
// sum over (bucket, chunk) then gives every chunk its own places in every bucket, and a second look
// writes the arcs there. Now each bucket is small, is in order of the list, and lies where its rows
// will lie: a counting sort by vertex within it finishes them. All writes of a thread go to few
// streams at a time, which is what makes this several times faster than one scattered write an arc.
#pragma once

#include "core/memory_budget.hpp"
#include "core/parallel.hpp"
#include "graph/csr.hpp"

#include <algorithm>
#include <bit>

namespace warpgraph {

/// The weight of graphs that have none; arrays of it stay empty.
struct Unweighted {};

template <class W>
struct Arc {
  vertex_t tail;
  vertex_t head;
  W weight;
  Arc(vertex_t from, vertex_t to, W w) : tail(from), head(to), weight(w) {}
  Arc() = default;
};

template <>
struct Arc<Unweighted> {
  vertex_t tail;
  vertex_t head;
  Arc(vertex_t from, vertex_t to, Unweighted) : tail(from), head(to) {}
  Arc() = default;
};

namespace detail {

/// How a list of n_positions is cut into chunks, and the vertices into buckets.
struct Grouping {
  // 2^11 streams are what the second-level cache and its TLB hold; more of them thrash.
  static constexpr int bucket_bits = 11;
  // Enough chunks to keep all threads busy, few enough for a small table of counts.
  static constexpr std::int64_t most_chunks = 256;
  static constexpr std::int64_t smallest_chunk = 1 << 15;

  Grouping(vertex_t vertices, std::int64_t positions)
      : n_vertices(vertices),
        n_positions(positions),
        shift(std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(vertices))) -
                              bucket_bits)),
        n_buckets((static_cast<std::int64_t>(vertices) >> shift) + 1),
        chunk(std::max(smallest_chunk, (positions + most_chunks - 1) / most_chunks)),
        n_chunks((positions + chunk - 1) / chunk) {}

  [[nodiscard]] std::int64_t bucket_of(vertex_t v) const noexcept { return v >> shift; }
  [[nodiscard]] std::int64_t slot(std::int64_t bucket, std::int64_t c) const noexcept {
    return bucket * n_chunks + c;
  }
  [[nodiscard]] std::int64_t chunk_end(std::int64_t c) const noexcept {
    return std::min((c + 1) * chunk, n_positions);
  }
  [[nodiscard]] vertex_t first_vertex(std::int64_t bucket) const noexcept {
    return static_cast<vertex_t>(std::min<std::int64_t>(bucket << shift, n_vertices));
  }
  /// Of the table that count_arcs() returns.
  [[nodiscard]] std::int64_t n_counts() const noexcept { return n_buckets * n_chunks + 1; }
  [[nodiscard]] std::size_t count_bytes() const noexcept {
    return static_cast<std::size_t>(n_counts()) * sizeof(edge_t);
  }

  vertex_t n_vertices;
  std::int64_t n_positions;
  int shift;
  std::int64_t n_buckets;
  std::int64_t chunk;
  std::int64_t n_chunks;
};

/// Arcs of every (bucket, chunk), in that order, and one more item at the end.
template <class ForEachArc>
std::vector<edge_t> count_arcs(const Grouping& cut, const ForEachArc& for_each_arc) {
  std::vector<edge_t> counts(static_cast<std::size_t>(cut.n_counts()));
  parallel_for(
      cut.n_chunks,
      [&](std::int64_t c) {
        std::vector<edge_t> mine(static_cast<std::size_t>(cut.n_buckets));
        for_each_arc(c * cut.chunk, cut.chunk_end(c), [&](vertex_t tail, vertex_t, auto) {
          ++mine[static_cast<std::size_t>(cut.bucket_of(tail))];
        });
        for (std::int64_t b = 0; b < cut.n_buckets; ++b) {
          counts[static_cast<std::size_t>(cut.slot(b, c))] = mine[static_cast<std::size_t>(b)];
        }
      },
      1);
  return counts;
}

/// Writes every arc to its bucket, the arcs of a bucket in their order.
template <class W, class ForEachArc>
void scatter_to_buckets(const Grouping& cut, const std::vector<edge_t>& starts,
                        const ForEachArc& for_each_arc, Arc<W>* arcs) {
  parallel_for(
      cut.n_chunks,
      [&](std::int64_t c) {
        std::vector<edge_t> next(static_cast<std::size_t>(cut.n_buckets));
        for (std::int64_t b = 0; b < cut.n_buckets; ++b) {
          next[static_cast<std::size_t>(b)] = starts[static_cast<std::size_t>(cut.slot(b, c))];
        }
        for_each_arc(c * cut.chunk, cut.chunk_end(c), [&](vertex_t tail, vertex_t head, W weight) {
          arcs[next[static_cast<std::size_t>(cut.bucket_of(tail))]++] = {tail, head, weight};
        });
      },
      1);
}

/// Sorts the arcs of a bucket, which start at `start`, into their rows.
template <class W>
void finish_bucket(vertex_t first, vertex_t last, edge_t start, std::span<const Arc<W>> arcs,
                   Csr<W>& graph) {
  std::vector<edge_t> next(static_cast<std::size_t>(last - first));
  for (const Arc<W>& arc : arcs) ++next[static_cast<std::size_t>(arc.tail - first)];
  edge_t place = start;
  for (vertex_t v = first; v < last; ++v) {
    graph.offsets[static_cast<std::size_t>(v)] = place;
    place += std::exchange(next[static_cast<std::size_t>(v - first)], place);
  }
  for (const Arc<W>& arc : arcs) {
    const auto slot = static_cast<std::size_t>(next[static_cast<std::size_t>(arc.tail - first)]++);
    graph.heads[slot] = arc.head;
    if constexpr (!std::is_same_v<W, Unweighted>) graph.weights[slot] = arc.weight;
  }
}

template <class W>
constexpr std::size_t bytes_per_entry = sizeof(vertex_t) +
                                        (std::is_same_v<W, Unweighted> ? 0 : sizeof(W));

}  // namespace detail

/// for_each_arc(first, last, emit) calls emit(tail, head, weight) for the arcs at the positions
/// first .. last of some list, any number of them a position and always the same; it is called
/// from many threads, and twice for each position. `what` begins the sentence that says that
/// memory, or `memory_limit` unless it is 0, does not suffice. If there cannot be fewer arcs than
/// `fewest_arcs`, memory that does not suffice for these is noticed before all are counted.
template <class W, class ForEachArc>
Csr<W> group_arcs(const char* what, vertex_t n_vertices, std::int64_t n_positions,
                  const ForEachArc& for_each_arc, std::size_t memory_limit = 0,
                  std::int64_t fewest_arcs = 0) {
  const detail::Grouping cut(n_vertices, n_positions);
  const auto n_offsets = static_cast<std::size_t>(n_vertices) + 1;
  const auto require = [&](std::size_t arcs) {
    constexpr std::size_t bytes_per_arc = sizeof(Arc<W>) + detail::bytes_per_entry<W>;
    const std::size_t bytes = arcs * bytes_per_arc + n_offsets * sizeof(edge_t) + cut.count_bytes();
    MemoryBudget({}, memory_limit).require(what, bytes, "free memory or use a smaller graph");
  };
  require(static_cast<std::size_t>(fewest_arcs));
  std::vector<edge_t> starts = detail::count_arcs(cut, for_each_arc);
  const auto n_arcs = static_cast<std::size_t>(
      exclusive_scan_in_place(starts.data(), static_cast<std::int64_t>(starts.size())));
  require(n_arcs);

  HostVector<Arc<W>> arcs(n_arcs);
  detail::scatter_to_buckets<W>(cut, starts, for_each_arc, arcs.data());
  Csr<W> graph;
  graph.offsets.resize(n_offsets);
  graph.offsets.back() = static_cast<edge_t>(n_arcs);
  graph.heads.resize(n_arcs);
  if constexpr (!std::is_same_v<W, Unweighted>) graph.weights.resize(n_arcs);
  parallel_for(
      cut.n_buckets,
      [&](std::int64_t b) {
        const edge_t start = starts[static_cast<std::size_t>(cut.slot(b, 0))];
        const edge_t end = starts[static_cast<std::size_t>(cut.slot(b + 1, 0))];
        detail::finish_bucket<W>(
            cut.first_vertex(b), cut.first_vertex(b + 1), start,
            std::span<const Arc<W>>(arcs).subspan(static_cast<std::size_t>(start),
                                                  static_cast<std::size_t>(end - start)),
            graph);
      },
      1);
  return graph;
}

}  // namespace warpgraph
