#include "algorithms/mst/sorted_rows/boruvka_device.hpp"
#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"

namespace warpgraph::mst {
namespace {

/// A thread first looks at so many arcs of its own row. They lie in one or two sectors of memory
/// that were fetched anyway, and most scans of early rounds end there. What is left of longer ones
/// is scanned by the warp, 32 arcs at a time.
constexpr int arcs_alone = 4;

/// The rank of a row without any arc left: no choice has a greater one.
constexpr rank_t exhausted = rank_of(no_choice);

/// A row being scanned for an arc that leaves its tree.
struct Scan {
  vertex_t vertex;
  vertex_t tree;
  edge_t position;
  edge_t end;
  vertex_t head;  // no_vertex until it is found
};

/// Looks at the next few arcs of each lane's own row.
template <class Heads>
__device__ void scan_alone(const Heads& heads, const vertex_t* tree_of, Scan& scan) {
  const auto row = heads.row(scan.vertex);
  for (int i = 0; i < arcs_alone && scan.position < scan.end; ++i) {
    const vertex_t head = row.head(scan.position);
    if (tree_of[head] != scan.tree) {
      scan.head = head;
      return;
    }
    ++scan.position;
  }
}

/// Finishes the scan of one lane, `leader`, by the whole warp.
template <class Heads>
__device__ void scan_together(const Heads& heads, const vertex_t* tree_of, int leader,
                              Scan& own_scan) {
  const vertex_t vertex = __shfl_sync(cuda::all_lanes, own_scan.vertex, leader);
  const vertex_t tree = __shfl_sync(cuda::all_lanes, own_scan.tree, leader);
  const edge_t first = __shfl_sync(cuda::all_lanes, own_scan.position, leader);
  const edge_t end = __shfl_sync(cuda::all_lanes, own_scan.end, leader);
  const auto row = heads.row(vertex);
  edge_t found = end;
  vertex_t found_head = no_vertex;
  for (edge_t e = first; e < end; e += cuda::warp_lanes) {
    const edge_t mine = e + cuda::lane();
    const vertex_t head = mine < end ? row.head(mine) : no_vertex;
    const bool leaves = head != no_vertex && tree_of[head] != tree;
    const unsigned leaving = __ballot_sync(cuda::all_lanes, leaves);
    if (leaving == 0) continue;
    const int nearest = __ffs(static_cast<int>(leaving)) - 1;
    found = e + nearest;
    found_head = __shfl_sync(cuda::all_lanes, head, nearest);
    break;
  }
  if (cuda::lane() == leader) {
    own_scan.position = found;
    own_scan.head = found_head;
  }
}

/// Some rows and the trees that their vertices are in.
template <class Heads>
struct Search {
  Heads heads;
  Offsets offsets;
  const rank_t* ranks;
  RowStops stops;  // item 0 is of row `first`
  vertex_t first;
  std::int64_t n_rows;
  const vertex_t* tree_of;
  vertex_t passive;
  choice_t* choices;
};

/// Offers the arcs where scans stand, as far as these are known to leave their trees.
template <class Heads>
__global__ void offer_known(Search<Heads> search) {
  const std::int64_t i = cuda::global_index();
  if (i >= search.n_rows) return;
  const vertex_t head = search.stops.head[i];
  const vertex_t tree = search.tree_of[search.first + i];
  if (head == no_vertex || tree == search.passive) return;
  const vertex_t target = search.tree_of[head];
  if (target != tree) lower(search.choices[tree], make_choice(search.stops.rank[i], target));
}

/// The scan that row i needs; an empty one if it needs none, since its tree is passive or has a
/// lighter choice than the row can offer.
template <class Heads>
__device__ Scan scan_of(const Search<Heads>& search, std::int64_t i) {
  const auto u = static_cast<vertex_t>(search.first + i);
  const vertex_t tree = search.tree_of[u];
  if (tree == search.passive) return {u, tree, 0, 0, no_vertex};
  const rank_t best = rank_of(relaxed_load(search.choices[tree]));
  if (search.stops.rank[i] >= best) return {u, tree, 0, 0, no_vertex};
  return {u, tree, search.offsets[u] + search.stops.n_passed[i],
          search.offsets[std::int64_t{u} + 1], no_vertex};
}

/// Moves the stops of rows that may have something to offer to the first arc that leaves the tree,
/// and offers that.
template <class Heads>
__global__ void scan_rows(Search<Heads> search) {
  const std::int64_t i = cuda::global_index();
  Scan scan{no_vertex, no_vertex, 0, 0, no_vertex};
  if (i < search.n_rows) scan = scan_of(search, i);
  const bool scans = scan.position < scan.end;
  if (scans) scan_alone(search.heads, search.tree_of, scan);
  // All lanes, those beyond the last row too, help those that are not done.
  const bool waits = scan.head == no_vertex && scan.position < scan.end;
  for (unsigned waiting = __ballot_sync(cuda::all_lanes, waits); waiting != 0;
       waiting &= waiting - 1) {
    scan_together(search.heads, search.tree_of, __ffs(static_cast<int>(waiting)) - 1, scan);
  }
  if (!scans) return;
  const rank_t rank = scan.head == no_vertex ? exhausted : search.ranks[scan.position];
  search.stops.n_passed[i] =
      static_cast<std::uint32_t>(scan.position - search.offsets[scan.vertex]);
  search.stops.head[i] = scan.head;
  search.stops.rank[i] = rank;
  if (scan.head == no_vertex) return;
  lower(search.choices[scan.tree], make_choice(rank, search.tree_of[scan.head]));
}

}  // namespace

DeviceRowSearch::DeviceRowSearch(const RowsView& rows, vertex_t first, vertex_t last,
                                 const cuda::Stream& stream)
    : rows_(rows),
      first_(first),
      stream_(stream),
      n_passed_(static_cast<std::size_t>(last - first), stream),
      rank_(static_cast<std::size_t>(last - first), stream),
      head_(static_cast<std::size_t>(last - first), stream) {
  cuda::fill_bytes(n_passed_.data(), 0, n_passed_.size(), stream);
  cuda::fill_bytes(rank_.data(), 0, rank_.size(), stream);
  cuda::fill(head_.data(), no_vertex, last - first, stream);
}

std::size_t DeviceRowSearch::bytes(vertex_t n_rows) {
  return static_cast<std::size_t>(n_rows) *
         (sizeof(std::uint32_t) + sizeof(rank_t) + sizeof(vertex_t));
}

void DeviceRowSearch::search(const DeviceTrees& trees, vertex_t first, vertex_t last) {
  const std::int64_t before = first - first_;
  const RowStops stops{n_passed_.data() + before, rank_.data() + before, head_.data() + before};
  with_heads(rows_, [&]<class Heads>(const Heads& heads) {
    const Search<Heads> search{heads,           rows_.offsets,   rows_.ranks,
                               stops,           first,           last - first,
                               trees.tree_of(), trees.passive(), trees.choices()};
    cuda::launch_for(stream_, search.n_rows, offer_known<Heads>, search);
    cuda::launch_for(stream_, search.n_rows, scan_rows<Heads>, search);
  });
}

}  // namespace warpgraph::mst
