// The kernels that search rows for their lightest edges. Private to this folder.
#pragma once

#include "algorithms/mst/sorted_rows/device_boruvka.hpp"
#include "core/atomics.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"

namespace warpgraph::mst {

/// Arcs of its own row that a thread reads first. They lie in one or two sectors of memory that
/// were fetched anyway, and most scans of early rounds end there. The warp scans the rest of longer
/// rows, 32 arcs at a time.
inline constexpr int max_arcs_by_lane = 4;

/// The rank of a row without remaining arcs: no choice has a greater one.
inline constexpr rank_t exhausted = rank_of(no_choice);

/// The scan of a row for an arc that leaves its tree.
struct RowScan {
  vertex_t vertex;
  vertex_t tree;
  edge_t position;
  edge_t end;
  vertex_t head;  // no_vertex until it is found
};

/// Reads the next few arcs of each lane's own row.
template <class Heads>
__device__ void scan_by_lane(const Heads& heads, const vertex_t* tree_of, RowScan& scan) {
  const auto row = heads.row(scan.vertex);
  for (int i = 0; i < max_arcs_by_lane && scan.position < scan.end; ++i) {
    const vertex_t head = row.head(scan.position);
    if (tree_of[head] != scan.tree) {
      scan.head = head;
      return;
    }
    ++scan.position;
  }
}

/// Finishes the scan of the lane `leader`, with the whole warp.
template <class Heads>
__device__ void scan_by_warp(const Heads& heads, const vertex_t* tree_of, int leader,
                             RowScan& own_scan) {
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
    const int nearest = cuda::first_lane(leaving);
    found = e + nearest;
    found_head = __shfl_sync(cuda::all_lanes, head, nearest);
    break;
  }
  if (cuda::lane() == leader) {
    own_scan.position = found;
    own_scan.head = found_head;
  }
}

/// The arguments of the kernels: some rows, their trees and choices.
template <class Heads>
struct SearchArguments {
  Heads heads;
  Offsets offsets;
  const rank_t* ranks;
  RowCursors cursors;  // item 0 belongs to row `first`
  vertex_t first;
  std::int64_t n_rows;
  const vertex_t* tree_of;
  vertex_t giant;
  choice_t* choices;
};

/// Lowers choices by the arcs at the cursors, where these still leave their trees.
template <class Heads>
__global__ void lower_from_cursors(SearchArguments<Heads> search) {
  const std::int64_t i = cuda::global_index();
  if (i >= search.n_rows) return;
  const vertex_t head = search.cursors.head[i];
  const vertex_t tree = search.tree_of[search.first + i];
  if (head == no_vertex || tree == search.giant) return;
  const vertex_t target = search.tree_of[head];
  if (target != tree) lower(search.choices[tree], make_choice(search.cursors.rank[i], target));
}

/// Returns the scan of row i; an empty one if its tree is the giant component or has a choice that
/// the row cannot lower.
template <class Heads>
__device__ RowScan make_scan(const SearchArguments<Heads>& search, std::int64_t i) {
  const auto u = static_cast<vertex_t>(search.first + i);
  const vertex_t tree = search.tree_of[u];
  if (tree == search.giant) return {u, tree, 0, 0, no_vertex};
  const rank_t best = rank_of(relaxed_load(search.choices[tree]));
  if (search.cursors.rank[i] >= best) return {u, tree, 0, 0, no_vertex};
  return {u, tree, search.offsets[u] + search.cursors.n_passed[i],
          search.offsets[std::int64_t{u} + 1], no_vertex};
}

/// Advances the cursors of rows that may lower a choice to the first arc that leaves the tree, and
/// lowers the choice by it.
template <class Heads>
__global__ void scan_rows(SearchArguments<Heads> search) {
  const std::int64_t i = cuda::global_index();
  RowScan scan{no_vertex, no_vertex, 0, 0, no_vertex};
  if (i < search.n_rows) scan = make_scan(search, i);
  const bool scans = scan.position < scan.end;
  if (scans) scan_by_lane(search.heads, search.tree_of, scan);
  // All lanes, including those beyond the last row, help with unfinished scans.
  const bool is_unfinished = scan.head == no_vertex && scan.position < scan.end;
  for (unsigned unfinished = __ballot_sync(cuda::all_lanes, is_unfinished); unfinished != 0;
       unfinished &= unfinished - 1) {
    scan_by_warp(search.heads, search.tree_of, cuda::first_lane(unfinished), scan);
  }
  if (!scans) return;
  const rank_t rank = scan.head == no_vertex ? exhausted : search.ranks[scan.position];
  search.cursors.n_passed[i] =
      static_cast<std::uint32_t>(scan.position - search.offsets[scan.vertex]);
  search.cursors.head[i] = scan.head;
  search.cursors.rank[i] = rank;
  if (scan.head == no_vertex) return;
  lower(search.choices[scan.tree], make_choice(rank, search.tree_of[scan.head]));
}

template <class Heads>
void DeviceRowSearch::search_along(const Heads& heads, const DeviceBoruvkaTrees& trees,
                                   vertex_t first, vertex_t last) {
  const RowCursors cursors{n_passed_.data() + first, rank_.data() + first, head_.data() + first};
  const SearchArguments<Heads> search{heads,           rows_.offsets, rows_.ranks,
                                      cursors,         first,         last - first,
                                      trees.tree_of(), trees.giant(), trees.choices()};
  cuda::launch_for(stream_, search.n_rows, lower_from_cursors<Heads>, search);
  cuda::launch_for(stream_, search.n_rows, scan_rows<Heads>, search);
}

}  // namespace warpgraph::mst
