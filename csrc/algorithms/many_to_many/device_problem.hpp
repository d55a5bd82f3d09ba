// The arguments of a call on a device. Not for use outside this folder.
#pragma once

#include "algorithms/many_to_many/search_problem.hpp"
#include "core/cuda/stream.hpp"

namespace warpgraph::many_to_many_detail {

/// The arguments of a call on a device. `graph` is in the memory of the stream's device; `host` has
/// the same graph in host memory.
template <class W>
struct DeviceProblem {
  CsrView<W> graph;
  SearchProblem<W> host;
  const cuda::Stream& stream;

  [[nodiscard]] std::int64_t n_columns() const {
    return host.wants_full_rows() ? graph.n_vertices
                                  : static_cast<std::int64_t>(host.options.targets.size());
  }
  /// Returns whether searches write full rows directly to the result.
  [[nodiscard]] bool in_place() const { return host.result.on_device && host.wants_full_rows(); }
};

template <class W>
void search_with_warp_heaps(const DeviceProblem<W>& problem);
template <class W>
void search_in_device_batches(const DeviceProblem<W>& problem);
template <class W>
void search_in_device_rounds(const DeviceProblem<W>& problem);

/// Returns the least bytes that warp heaps need beside the graph and the result.
template <class W>
std::size_t min_bytes_of_warp_heaps(const DeviceProblem<W>& problem);
template <class W>
std::size_t min_bytes_of_device_batches(const DeviceProblem<W>& problem);
template <class W>
std::size_t min_bytes_of_device_rounds(const DeviceProblem<W>& problem);

}  // namespace warpgraph::many_to_many_detail
