// Groups arcs in any order into the rows of a CSR matrix. Reading edge lists, transposing, storing
// edges in both directions, and generating graphs all use it.
//
// It is a stable two-level counting sort by tail, so a row keeps the order in which its arcs came,
// for any number of threads. The list is split into chunks and the vertices into buckets of
// consecutive numbers. A first pass counts the arcs of each chunk in each bucket. A prefix sum over
// (bucket, chunk) assigns every chunk its own range in every bucket, and a second pass writes the
// arcs there. Now each bucket is small, is in the order of the list, and lies where its rows will
// lie: a counting sort by vertex within it finishes the rows. A thread writes to few streams at a
// time, which makes this several times faster than one scattered write per arc.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "core/threads/small_work.hpp"
#include "graph/csr.hpp"

#include <algorithm>
#include <bit>

namespace warpgraph {

/// The weight type of unweighted graphs; arrays of it stay empty.
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

/// The split of a list of n_positions into chunks, and of the vertices into buckets.
struct BucketPartition {
  // 2^11 write streams fit the second-level cache and its TLB; more streams thrash.
  static constexpr int bucket_bits = 11;
  // Enough chunks to keep all threads busy, few enough for a small table of counts.
  static constexpr std::int64_t max_chunks = 256;
  static constexpr std::int64_t min_chunk_size = 1 << 15;

  BucketPartition(vertex_t vertices, std::int64_t positions)
      : n_vertices(vertices),
        n_positions(positions),
        shift(std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(vertices))) -
                              bucket_bits)),
        n_buckets((static_cast<std::int64_t>(vertices) >> shift) + 1),
        chunk_size(std::max(min_chunk_size, (positions + max_chunks - 1) / max_chunks)),
        n_chunks((positions + chunk_size - 1) / chunk_size) {}

  [[nodiscard]] std::int64_t bucket_of(vertex_t v) const noexcept { return v >> shift; }
  [[nodiscard]] std::int64_t slot(std::int64_t bucket, std::int64_t c) const noexcept {
    return bucket * n_chunks + c;
  }
  [[nodiscard]] std::int64_t chunk_end(std::int64_t c) const noexcept {
    return std::min((c + 1) * chunk_size, n_positions);
  }
  [[nodiscard]] vertex_t first_vertex(std::int64_t bucket) const noexcept {
    return static_cast<vertex_t>(std::min<std::int64_t>(bucket << shift, n_vertices));
  }
  /// Returns the size of the table that count_arcs() returns.
  [[nodiscard]] std::int64_t n_counts() const noexcept { return n_buckets * n_chunks + 1; }
  [[nodiscard]] std::size_t count_bytes() const noexcept {
    return static_cast<std::size_t>(n_counts()) * sizeof(edge_t);
  }

  vertex_t n_vertices;
  std::int64_t n_positions;
  int shift;
  std::int64_t n_buckets;
  std::int64_t chunk_size;
  std::int64_t n_chunks;
};

/// Counts the arcs of every (bucket, chunk), in that order; one more item at the end.
template <class ForEachArc>
std::vector<edge_t> count_arcs(const BucketPartition& partition, const ForEachArc& for_each_arc) {
  std::vector<edge_t> counts(static_cast<std::size_t>(partition.n_counts()));
  parallel_for(
      partition.n_chunks,
      [&](std::int64_t c) {
        std::vector<edge_t> chunk_counts(static_cast<std::size_t>(partition.n_buckets));
        for_each_arc(c * partition.chunk_size, partition.chunk_end(c),
                     [&](vertex_t tail, vertex_t, auto) {
                       ++chunk_counts[static_cast<std::size_t>(partition.bucket_of(tail))];
                     });
        for (std::int64_t b = 0; b < partition.n_buckets; ++b) {
          counts[static_cast<std::size_t>(partition.slot(b, c))] =
              chunk_counts[static_cast<std::size_t>(b)];
        }
      },
      1);
  return counts;
}

/// Writes every arc to its bucket; the arcs of a bucket keep their order.
template <class W, class ForEachArc>
void scatter_to_buckets(const BucketPartition& partition, const std::vector<edge_t>& starts,
                        const ForEachArc& for_each_arc, Arc<W>* arcs) {
  parallel_for(
      partition.n_chunks,
      [&](std::int64_t c) {
        std::vector<edge_t> next(static_cast<std::size_t>(partition.n_buckets));
        for (std::int64_t b = 0; b < partition.n_buckets; ++b) {
          next[static_cast<std::size_t>(b)] =
              starts[static_cast<std::size_t>(partition.slot(b, c))];
        }
        for_each_arc(c * partition.chunk_size, partition.chunk_end(c),
                     [&](vertex_t tail, vertex_t head, W weight) {
                       arcs[next[static_cast<std::size_t>(partition.bucket_of(tail))]++] = {
                           tail, head, weight};
                     });
      },
      1);
}

/// Sorts the arcs of a bucket, whose rows begin at position `start`, into their rows.
template <class W>
void sort_bucket(vertex_t first, vertex_t last, edge_t start, std::span<const Arc<W>> arcs,
                 Csr<W>& graph) {
  std::vector<edge_t> next(static_cast<std::size_t>(last - first));
  for (const Arc<W>& arc : arcs) ++next[static_cast<std::size_t>(arc.tail - first)];
  edge_t position = start;
  for (vertex_t v = first; v < last; ++v) {
    graph.offsets[static_cast<std::size_t>(v)] = position;
    position += std::exchange(next[static_cast<std::size_t>(v - first)], position);
  }
  for (const Arc<W>& arc : arcs) {
    const auto slot = static_cast<std::size_t>(next[static_cast<std::size_t>(arc.tail - first)]++);
    graph.heads[slot] = arc.head;
    if constexpr (!std::is_same_v<W, Unweighted>) graph.weights[slot] = arc.weight;
  }
}

/// Time for a position or a vertex of a small graph, on one core.
inline constexpr double ns_per_position = 8;

template <class W>
constexpr std::size_t bytes_per_entry = sizeof(vertex_t) +
                                        (std::is_same_v<W, Unweighted> ? 0 : sizeof(W));

/// Sorts the arcs of all buckets. Compiled once for all callers.
template <class W>
[[gnu::noinline]] Csr<W> rows_of(const BucketPartition& partition,
                                 const std::vector<edge_t>& starts, std::span<const Arc<W>> arcs) {
  Csr<W> graph;
  graph.offsets.resize(static_cast<std::size_t>(partition.n_vertices) + 1);
  graph.offsets.back() = std::ssize(arcs);
  graph.heads.resize(arcs.size());
  if constexpr (!std::is_same_v<W, Unweighted>) graph.weights.resize(arcs.size());
  parallel_for(
      partition.n_buckets,
      [&](std::int64_t b) {
        const edge_t start = starts[static_cast<std::size_t>(partition.slot(b, 0))];
        const edge_t end = starts[static_cast<std::size_t>(partition.slot(b + 1, 0))];
        sort_bucket<W>(
            partition.first_vertex(b), partition.first_vertex(b + 1), start,
            arcs.subspan(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)),
            graph);
      },
      1);
  return graph;
}

}  // namespace detail

/// Returns the need of group_arcs() for n_arcs arcs.
template <class W>
MemoryNeed need_of_grouping(const char* what, vertex_t n_vertices, std::int64_t n_positions,
                            edge_t n_arcs) {
  constexpr std::size_t bytes_per_arc = sizeof(Arc<W>) + detail::bytes_per_entry<W>;
  const std::size_t n_offsets = static_cast<std::size_t>(n_vertices) + 1;
  return {what,
          static_cast<std::size_t>(n_arcs) * bytes_per_arc + n_offsets * sizeof(edge_t) +
              detail::BucketPartition(n_vertices, n_positions).count_bytes(),
          "use a smaller graph"};
}

/// Groups the arcs of a list into rows. for_each_arc(first, last, emit) calls emit(tail, head,
/// weight) for the arcs at the positions first .. last. A position may emit any number of arcs, but
/// always the same ones. It is called concurrently, and twice for each position. `what` is the
/// start of the error message for insufficient memory. If there are at least `fewest_arcs` arcs,
/// memory that does not suffice for these is reported before counting.
template <class W, class ForEachArc>
Csr<W> group_arcs(const char* what, vertex_t n_vertices, std::int64_t n_positions,
                  const ForEachArc& for_each_arc, MemoryBudget budget = {},
                  std::int64_t fewest_arcs = 0) {
  const CallThreads threads =
      threads_for(detail::ns_per_position * static_cast<double>(n_vertices + n_positions));
  const detail::BucketPartition partition(n_vertices, n_positions);
  const auto require = [&](edge_t n_arcs) {
    budget.require(need_of_grouping<W>(what, n_vertices, n_positions, n_arcs));
  };
  require(fewest_arcs);
  std::vector<edge_t> starts = detail::count_arcs(partition, for_each_arc);
  const edge_t n_arcs =
      exclusive_scan_in_place(starts.data(), static_cast<std::int64_t>(starts.size()));
  require(n_arcs);

  HostVector<Arc<W>> arcs(static_cast<std::size_t>(n_arcs));
  detail::scatter_to_buckets<W>(partition, starts, for_each_arc, arcs.data());
  return detail::rows_of<W>(partition, starts, arcs);
}

}  // namespace warpgraph
