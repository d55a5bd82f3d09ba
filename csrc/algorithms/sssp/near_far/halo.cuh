// The vertices whose distances a member of a team may lower for others.
#pragma once

#include "core/atomics.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/csr.hpp"

namespace warpgraph::shortest_paths {

/// Sets the bits of the heads that are not in begin .. end - 1.
struct MarkHalo {
  const vertex_t* heads;
  vertex_t begin;
  vertex_t end;
  std::uint32_t* halo;
  __device__ void operator()(std::int64_t arc) const {
    const vertex_t v = heads[arc];
    if (begin <= v && v < end) return;
    const std::uint32_t bit = 1u << v % 32;
    // Most arcs of large graphs find the bit of their head set, and need no atomic operation.
    if ((relaxed_load(halo[v / 32]) & bit) == 0) atomicOr(&halo[v / 32], bit);
  }
};

/// The vertices of other parts that are heads of a part's rows, as a bitmap of all vertices.
class Halo {
 public:
  Halo(const CsrPattern& rows, vertex_t first, vertex_t n_vertices, const cuda::Stream& stream)
      : bits_(static_cast<std::size_t>(n_vertices) / 32 + 1, stream) {
    cuda::fill_bytes(bits_.data(), 0, bits_.size(), stream);
    cuda::for_each(stream, rows.n_arcs,
                   MarkHalo{rows.heads, first, first + rows.n_vertices, bits_.data()});
  }
  [[nodiscard]] const std::uint32_t* data() const { return bits_.data(); }
  [[nodiscard]] std::size_t bytes() const { return bits_.bytes(); }

 private:
  cuda::DeviceBuffer<std::uint32_t> bits_;
};

}  // namespace warpgraph::shortest_paths
