// The part of Graph for arrays that the host cannot read as they are: given on a CUDA device,
// or heads of 64 bits.
#include "core/containers/at.hpp"
#include "warpgraph/client.hpp"
#include "warpgraph/graph.hpp"
#include "warpgraph/run_on.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/device_guard.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/memory/peer_access.hpp"
#include "graph/checks/device_checks.hpp"
#endif

namespace warpgraph {

const CsrPattern& Graph::pattern_with_heads() const {
  if (const WithHeads* const known = with_heads_.if_made()) return known->pattern;
  const auto keep = [&](WithHeads made) -> const CsrPattern& {
    return with_heads_.with([&] { return std::make_unique<WithHeads>(std::move(made)); },
                            [](const WithHeads& kept) -> const auto& { return kept.pattern; });
  };
  WithHeads made{pattern_, {}};
  if (structure_ != nullptr) {
    made.heads = structure_->heads.on_host("indices");
  } else {
    made.heads = SharedArray::of(run_as_call([&] {
      return narrow_heads({wide_heads_, at(pattern_.n_arcs)}, pattern_.n_vertices);
    }));
  }
  made.pattern.heads = made.heads.items<vertex_t>().data();
  return keep(std::move(made));
}

SharedArray Graph::heads_on_host() const {
  if (has_heads_on_host()) return indices_;
  if (structure_ == nullptr) check_heads();
  static_cast<void>(pattern_with_heads());
  return with_heads_.if_made()->heads;
}

SharedArray Graph::weights_on_host() const {
  if (weights_on_device_ != nullptr) return weights_on_device_->on_host("data");
  return with_type_of_caller([&]<class W>() { return weights_of<W>(); });
}

CsrPattern Graph::given_pattern(Device for_device) const {
  if (structure_ == nullptr || !is_readable_from(for_device)) return host_pattern();
  CsrPattern pattern = pattern_;
  pattern.heads = structure_->pattern.heads;
  return pattern;
}

#if defined(WARPGRAPH_HAS_CUDA)

Graph::Graph(SharedArray indptr, const SharedArray& indptr_on_device, const SharedArray& indices)
    : Graph(std::move(indptr), indices.size) {
  structure_ = std::make_shared<StructureOnDevice>(pattern_, indptr_on_device, indices);
  refer_to_structure();
}

namespace {

/// Returns whether a device can read an item of another one.
bool can_read(Device device, Device there, const vertex_t* item) {
  if (!cuda::can_access_peer(device, there)) return false;
  cuda::enable_peer_access(device, there);
  // Memory that another library has taken from a pool of its own may still be out of reach: a copy
  // of one item tells.
  const cuda::BorrowedStream stream(device);
  const cuda::DeviceBuffer<vertex_t> copy(1, *stream);
  const cuda::DeviceGuard guard(device);
  const cudaError_t status =
      cudaMemcpyAsync(copy.data(), item, sizeof(vertex_t), cudaMemcpyDefault, (*stream).get());
  if (status == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

}  // namespace

bool Graph::is_readable_from(Device device) const {
  const Device there = structure_->device();
  if (device == there) return true;
  // Every call on another device asks.
  return structure_->readers.has(
      device, [&] { return can_read(device, there, structure_->pattern.heads); });
}

void Graph::refer_to_structure() {
  if (structure_ == nullptr) return;
  check_heads();
  run_as_call([&] { static_cast<void>(pattern_on(structure_->device())); });
}

bool Graph::has_vertices_on_device() const {
  const cuda::BorrowedStream stream(structure_->device());
  return are_vertices_on_device(structure_->heads.items<vertex_t>(), pattern_.n_vertices, *stream);
}

void Graph::use_weights(SharedArray weights) {
  EXPECTS(weights.size == pattern_.n_arcs, "data has ", weights.size, " entries and indices ",
          pattern_.n_arcs, "; both must have the same length");
  EXPECTS(structure_ != nullptr && weights.device == structure_->device() && !type_of_caller_,
          "weights on a device belong to a structure there, and are set first");
  dispatch(weights.type, [&]<class W>() {
    type_of_caller_ = weights.type;
    const Device device = weights.device;
    weights_on_device_ = std::make_unique<ArrayOnDevice>(std::move(weights));
    run_as_call([&] {
      const std::span<const W> items = weights_on_device_->items<W>();
      if (are_ordinary_on_device(items, *cuda::BorrowedStream(device))) {
        weight_facts_.unusual.get([] { return UnusualWeights{}; });
      } else {
        const CsrView<W> on_host = view<W>();
        validate_weights<W>({on_host.weights, items.size()}, on_host);
      }
      weight_facts_.is_checked.get([] { return true; });
      static_cast<void>(view_on<W>(device));
    });
  });
}

#else

Graph::Graph(SharedArray indptr, const SharedArray& /*indptr_on_device*/,
             const SharedArray& indices)
    : Graph(std::move(indptr), indices.size) {
  require_device(indices.device);
}

void Graph::refer_to_structure() {}

bool Graph::is_readable_from(Device) const { return false; }

bool Graph::has_vertices_on_device() const { return false; }

void Graph::use_weights(SharedArray weights) { require_device(weights.device); }

#endif

}  // namespace warpgraph
