#include "algorithms/connected_components/device_sets.hpp"
#include "algorithms/connected_components/set_merge.hpp"
#include "core/containers/union_find.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/partition/device_partition.hpp"
#include "runtime/devices/array_messages.hpp"

#include <memory>

namespace warpgraph {
namespace {

using runtime::Link;
using runtime::PendingSegment;
using runtime::ref;

/// Offsets of all vertices: rows outside of the part are empty.
struct ExpandOffsets {
  Offsets of_part;
  vertex_t begin;
  vertex_t end;
  edge_t* offsets;
  __device__ void operator()(std::int64_t v) const {
    offsets[v] = of_part[(v < begin ? begin : v < end ? v : end) - begin];
  }
};

struct UniteWith {
  const vertex_t* parents;  // of another endpoint, from a vertex on
  vertex_t first;
  UnionFind sets;
  __device__ void operator()(std::int64_t i) const {
    const auto v = static_cast<vertex_t>(first + i);
    const vertex_t parent = parents[i];
    if (cached_load(sets.parent[v]) != cached_load(sets.parent[parent])) {
      sets.unite_cached(v, parent);
    }
  }
};

struct PointToRoot {
  UnionFind sets;
  __device__ void operator()(std::int64_t v) const { sets.point_to_root(static_cast<vertex_t>(v)); }
};

/// The rows of one endpoint, and its sets over all vertices.
class DevicePart {
 public:
  DevicePart(DevicePartition& parts, int part, SetMerge::Links merge)
      : n_(parts.parts().end(parts.parts().n_parts - 1)),
        parts_(parts),
        part_(part),
        device_(parts.devices()[static_cast<std::size_t>(part)]),
        merge_(merge) {}

  void run() const {
    const cuda::BorrowedStream borrowed(device_);
    const cuda::Stream& stream = *borrowed;
    const auto memory = std::make_shared<cuda::DeviceBuffer<std::byte>>(array_bytes(), stream);
    cuda::BumpAllocator allocator(memory->data());
    const Arrays arrays = take_arrays(allocator);
    const CsrPattern rows = parts_.pattern(part_);
    const PartitionView& parts = parts_.parts();
    cuda::for_each(
        stream, std::int64_t{n_} + 1,
        ExpandOffsets{rows.offsets, parts.begin(part_), parts.end(part_), arrays.offsets});
    const CsrPattern of_all{n_, rows.n_arcs, Offsets(arrays.offsets), rows.heads};
    find_sets_cuda(of_all, arrays.parents, arrays.scratch, stream);
    merge(UnionFind{arrays.parents}, stream);
    const std::span<const vertex_t> parents(arrays.parents, static_cast<std::size_t>(n_));
    merge_.next.send(runtime::segment_of(parents, 0, device_),
                     runtime::EventFuture(runtime::point_on(ref(stream))), memory);
  }

  /// On the device beside the rows, with the buffers of links.
  [[nodiscard]] std::size_t bytes() const {
    return array_bytes() + runtime::buffers_per_link * merge_.others.packet_size();
  }

 private:
  struct Arrays {
    edge_t* offsets;
    vertex_t* parents;
    std::byte* scratch;
  };

  Arrays take_arrays(cuda::BumpAllocator& memory) const {
    const auto n = static_cast<std::size_t>(n_);
    const CsrPattern of_all{n_, parts_.shape(part_).n_arcs, {}, nullptr};
    return {memory.take<edge_t>(n + 1), memory.take<vertex_t>(n),
            memory.take<std::byte>(sets_scratch_bytes(of_all))};
  }
  [[nodiscard]] std::size_t array_bytes() const {
    cuda::BumpAllocator sizes;
    take_arrays(sizes);
    return sizes.bytes();
  }

  void merge(UnionFind sets, const cuda::Stream& stream) const {
    while (std::optional<PendingSegment> pending = merge_.others.receive()) {
      const runtime::Segment& others = pending->wait(ref(stream));
      const std::span<const vertex_t> parents = others.as<vertex_t>();
      cuda::for_each(stream, std::ssize(parents),
                     UniteWith{parents.data(), SetMerge::first_vertex(others), sets});
      pending->release(ref(stream));
    }
    cuda::for_each(stream, n_, PointToRoot{sets});
  }

  const vertex_t n_;
  DevicePartition& parts_;
  const int part_;
  const Device device_;
  const SetMerge::Links merge_;
};

}  // namespace

vertex_t connected_components_on_devices(const CsrPattern& graph, DevicePartition& parts,
                                         std::span<vertex_t> labels, std::size_t memory_limit) {
  runtime::Context context(parts.devices());
  SetMerge merge(context, runtime::packet_for<vertex_t>(graph.n_vertices));
  std::deque<DevicePart> workers;
  for (const runtime::Endpoint endpoint : context.endpoints()) {
    workers.emplace_back(parts, endpoint.id, merge.links(endpoint));
  }
  parts.require_memory(
      "labelling components of a part of the graph", with_weights<float>(graph, nullptr),
      [&](int part) { return workers[static_cast<std::size_t>(part)].bytes(); }, memory_limit);
  context.run([&](runtime::Endpoint at) { workers[static_cast<std::size_t>(at.id)].run(); },
              [&] { merge.receive(labels); });
  return number_components(labels);
}

}  // namespace warpgraph
