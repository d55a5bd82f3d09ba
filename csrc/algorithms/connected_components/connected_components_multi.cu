#include "algorithms/connected_components/device_sets.hpp"
#include "algorithms/connected_components/set_merge.hpp"
#include "core/containers/union_find.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/partition/partition.hpp"
#include "runtime/array_messages.hpp"

#include <array>
#include <map>
#include <memory>

namespace warpgraph {
namespace {

using runtime::Link;
using runtime::PendingSegment;
using runtime::ref;

/// An H200 takes 0.3 ms to receive one over PCIe.
constexpr std::size_t largest_packet = std::size_t{16} << 20;
constexpr int buffers_per_link = 2;

/// Packets of an array of as many items.
std::size_t packet_for(edge_t n_items) {
  const std::size_t bytes = static_cast<std::size_t>(n_items + 1) * sizeof(edge_t);
  return std::min(bytes, largest_packet);
}

/// Offsets of all vertices: rows outside of the part are empty.
struct ExpandOffsets {
  const edge_t* of_part;
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
  DevicePart(const CsrPattern& graph, const PartitionView& partition, int part, Device device,
             Link& rows_in, SetMerge::Links merge)
      : n_(graph.n_vertices),
        begin_(partition.begin(part)),
        end_(partition.end(part)),
        part_(graph, partition, part),
        device_(device),
        rows_in_(rows_in),
        merge_(merge) {}

  /// For the host's thread.
  void send_rows(Link& link) const {
    runtime::send_array(link, std::span<const edge_t>(part_.offsets), 0);
    const auto n_arcs = static_cast<std::size_t>(part_.rows.n_arcs);
    runtime::send_array(link, std::span(part_.rows.heads, n_arcs), 1);
    link.shutdown();
  }

  void run() const {
    const cuda::BorrowedStream borrowed(device_);
    const cuda::Stream& stream = *borrowed;
    const auto memory = std::make_shared<cuda::DeviceBuffer<std::byte>>(array_bytes(), stream);
    cuda::BumpAllocator allocator(memory->data());
    const Arrays arrays = take_arrays(allocator);
    const std::array<void*, 2> received{arrays.part_offsets, arrays.heads};
    runtime::receive_arrays(rows_in_, received, ref(stream));
    cuda::for_each(stream, std::int64_t{n_} + 1,
                   ExpandOffsets{arrays.part_offsets, begin_, end_, arrays.offsets});
    find_sets_cuda(rows_of_all(arrays), arrays.parents, arrays.scratch, stream);
    merge(UnionFind{arrays.parents}, stream);
    const std::span<const vertex_t> parents(arrays.parents, static_cast<std::size_t>(n_));
    merge_.next.send(runtime::segment_of(parents, 0, device_),
                     runtime::EventFuture(runtime::point_on(ref(stream))), memory);
  }

  /// On the device, with the buffers of links.
  [[nodiscard]] std::size_t bytes() const {
    return array_bytes() +
           buffers_per_link * (rows_in_.packet_size() + merge_.others.packet_size());
  }

 private:
  struct Arrays {
    edge_t* part_offsets;
    edge_t* offsets;
    vertex_t* heads;
    vertex_t* parents;
    std::byte* scratch;
  };

  Arrays take_arrays(cuda::BumpAllocator& memory) const {
    const auto n = static_cast<std::size_t>(n_);
    const auto n_arcs = static_cast<std::size_t>(part_.rows.n_arcs);
    return {memory.take<edge_t>(part_.offsets.size()), memory.take<edge_t>(n + 1),
            memory.take<vertex_t>(n_arcs), memory.take<vertex_t>(n),
            memory.take<std::byte>(sets_scratch_bytes(rows_of_all({})))};
  }
  [[nodiscard]] std::size_t array_bytes() const {
    cuda::BumpAllocator sizes;
    take_arrays(sizes);
    return sizes.bytes();
  }

  [[nodiscard]] CsrPattern rows_of_all(const Arrays& arrays) const {
    return {n_, part_.rows.n_arcs, Offsets(arrays.offsets), arrays.heads};
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
  const vertex_t begin_;
  const vertex_t end_;
  const GraphPart part_;
  const Device device_;
  Link& rows_in_;
  const SetMerge::Links merge_;
};

/// Virtual devices share the memory of one.
void require_memory(const std::deque<DevicePart>& parts, const std::vector<Device>& devices,
                    std::size_t memory_limit) {
  std::map<int, std::size_t> bytes;
  for (std::size_t i = 0; i < parts.size(); ++i) bytes[devices[i].index] += parts[i].bytes();
  for (const auto& [index, needed] : bytes) {
    MemoryBudget({Device::Kind::cuda, index}, memory_limit)
        .require("labelling components of a part of the graph", needed,
                 "name more devices, or use device=\"cpu\"");
  }
}

}  // namespace

vertex_t connected_components_on_devices(const CsrPattern& graph,
                                         const std::vector<Device>& devices,
                                         std::span<vertex_t> labels, std::size_t memory_limit) {
  runtime::Context context(devices);
  SetMerge merge(context, packet_for(graph.n_vertices));
  const PartitionView partition = equal_arcs(graph, static_cast<int>(devices.size()));
  std::deque<DevicePart> parts;
  std::vector<Link*> rows;
  for (const runtime::Endpoint endpoint : context.endpoints()) {
    const std::size_t packet = packet_for(graph.n_arcs / std::ssize(devices));
    rows.push_back(&context.link(context.host(), endpoint, packet, buffers_per_link));
    parts.emplace_back(graph, partition, endpoint.id, context.device(endpoint), *rows.back(),
                       merge.links(endpoint));
  }
  require_memory(parts, devices, memory_limit);
  context.run([&](runtime::Endpoint at) { parts[static_cast<std::size_t>(at.id)].run(); },
              [&] {
                for (std::size_t i = 0; i < parts.size(); ++i) parts[i].send_rows(*rows[i]);
                merge.receive(labels);
              });
  return number_components(labels);
}

}  // namespace warpgraph
