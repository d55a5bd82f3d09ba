// The structure of a customizable hierarchy in the memory of a CUDA device. Plain C++: bindings
// include it without a CUDA compiler.
#pragma once

#include "algorithms/hierarchy/customizable/customizable.hpp"
#include "core/cuda/copies/upload.hpp"

namespace warpgraph {

/// The arrays of a HierarchyStructure by which lengths are computed, on a device.
struct DeviceHierarchyStructureView {
  vertex_t n_vertices = 0;
  std::int64_t n_arcs = 0;
  const edge_t* offsets = nullptr;
  const vertex_t* heads = nullptr;
  const edge_t* triangle_starts = nullptr;
  const std::uint16_t* places = nullptr;
  const std::uint32_t* arc_of_edge = nullptr;
  const vertex_t* ranks = nullptr;        // by position
  const vertex_t* position_of = nullptr;  // by rank
  // The arcs and their lower ranks, in the order of positions: those of a level are a range.
  const std::uint32_t* arcs = nullptr;
  const vertex_t* tails = nullptr;
};

class DeviceHierarchyStructure {
 public:
  /// Copies `host` to the stream's device. The stream must outlive this.
  DeviceHierarchyStructure(const HierarchyStructure& host, const cuda::Stream& stream);
  /// Returns the bytes that a copy takes on the device.
  [[nodiscard]] static std::size_t bytes_needed(const HierarchyStructure& host);

  [[nodiscard]] DeviceHierarchyStructureView view() const noexcept {
    return {static_cast<vertex_t>(ranks_.size()),
            static_cast<std::int64_t>(heads_.size()),
            offsets_.data(),
            heads_.data(),
            triangle_starts_.data(),
            places_.data(),
            arc_of_edge_.data(),
            ranks_.data(),
            position_of_.data(),
            arcs_.data(),
            tails_.data()};
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return offsets_.bytes() + heads_.bytes() + triangle_starts_.bytes() + places_.bytes() +
           arc_of_edge_.bytes() + ranks_.bytes() + position_of_.bytes() + arcs_.bytes() +
           tails_.bytes();
  }

  /// Returns the places in `arcs` where levels begin, by the index in the structure's level_starts.
  [[nodiscard]] std::span<const std::int64_t> arc_starts() const noexcept { return arc_starts_; }

 private:
  cuda::DeviceBuffer<edge_t> offsets_;
  cuda::DeviceBuffer<vertex_t> heads_;
  cuda::DeviceBuffer<edge_t> triangle_starts_;
  cuda::DeviceBuffer<std::uint16_t> places_;
  cuda::DeviceBuffer<std::uint32_t> arc_of_edge_;
  cuda::DeviceBuffer<vertex_t> ranks_;
  cuda::DeviceBuffer<vertex_t> position_of_;
  cuda::DeviceBuffer<std::uint32_t> arcs_;
  cuda::DeviceBuffer<vertex_t> tails_;
  std::vector<std::int64_t> arc_starts_;
};

}  // namespace warpgraph
