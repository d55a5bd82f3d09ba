#include "algorithms/mst/sorted_rows/row_search.cuh"

namespace warpgraph::mst {

DeviceRowSearch::DeviceRowSearch(const RowsView& rows, const cuda::Stream& stream)
    : rows_(rows),
      stream_(stream),
      n_passed_(static_cast<std::size_t>(rows.n_vertices), stream),
      rank_(static_cast<std::size_t>(rows.n_vertices), stream),
      head_(static_cast<std::size_t>(rows.n_vertices), stream) {
  cuda::fill_bytes(n_passed_.data(), 0, n_passed_.size(), stream);
  cuda::fill_bytes(rank_.data(), 0, rank_.size(), stream);
  cuda::fill(head_.data(), no_vertex, rows.n_vertices, stream);
}

std::size_t DeviceRowSearch::bytes(vertex_t n_rows) {
  return static_cast<std::size_t>(n_rows) *
         (sizeof(std::uint32_t) + sizeof(rank_t) + sizeof(vertex_t));
}

void DeviceRowSearch::search(const DeviceBoruvkaTrees& trees, vertex_t first, vertex_t last) {
  search_along(PlainHeads{rows_.heads}, trees, first, last);
}

}  // namespace warpgraph::mst
