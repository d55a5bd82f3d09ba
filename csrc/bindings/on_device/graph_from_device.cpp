// The part of GraphHandle for arrays that the host cannot read as they are: given on a CUDA device,
// or heads of 64 bits.
#include "bindings/call.hpp"
#include "bindings/device.hpp"
#include "bindings/graph_handle.hpp"
#include "core/containers/at.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/device_guard.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/memory/peer_access.hpp"
#include "graph/checks/device_checks.hpp"
#endif

namespace warpgraph {

const CsrPattern& GraphHandle::pattern_with_heads() const {
  if (const WithHeads* const known = with_heads_.if_made()) return known->pattern;
  const auto keep = [&](WithHeads made) -> const CsrPattern& {
    return with_heads_.with([&] { return std::make_unique<WithHeads>(std::move(made)); },
                            [](const WithHeads& kept) -> const auto& { return kept.pattern; });
  };
  CsrPattern pattern = pattern_;
  if (structure_ != nullptr) {
    pattern.heads = static_cast<const vertex_t*>(structure_->heads.on_host("indices"));
    return keep({pattern, {}});
  }
  const auto narrow = [&] {
    return narrow_heads({wide_heads_, at(pattern_.n_arcs)}, pattern_.n_vertices);
  };
  HostVector<vertex_t> narrowed = has_hooks() ? narrow() : run_released(narrow);
  const py::gil_scoped_acquire locked;
  const py::array_t<vertex_t> heads = to_array(std::move(narrowed));
  pattern.heads = heads.data();
  return keep({pattern, heads});
}

py::array GraphHandle::heads_on_host() const {
  if (structure_ != nullptr) {
    return structure_->heads.to_numpy("indices", py::dtype::of<vertex_t>());
  }
  if (wide_heads_ == nullptr) return indices_;
  check_heads();
  static_cast<void>(pattern_with_heads());
  return with_heads_.if_made()->narrowed;
}

py::array GraphHandle::weights_on_host() const {
  if (weights_on_device_ != nullptr) return weights_on_device_->to_numpy("data", dtype_of_caller_);
  return with_type_of_caller(
      [&]<class W>() -> py::array { return std::get<py::array_t<W>>(weights_); });
}

CsrPattern GraphHandle::given_pattern(Device for_device) const {
  if (structure_ == nullptr || !is_readable_from(for_device)) return host_pattern();
  CsrPattern pattern = pattern_;
  pattern.heads = structure_->pattern.heads;
  return pattern;
}

#if defined(WARPGRAPH_HAS_CUDA)

GraphHandle::GraphHandle(py::array indptr, const DeviceArray& indptr_on_device,
                         const DeviceArray& indices)
    : GraphHandle(std::move(indptr), static_cast<edge_t>(indices.length())) {
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

bool GraphHandle::is_readable_from(Device device) const {
  const Device there = structure_->device();
  if (device == there) return true;
  // Every call on another device asks.
  return structure_->readers.has(
      device, [&] { return can_read(device, there, structure_->pattern.heads); });
}

void GraphHandle::refer_to_structure() {
  if (structure_ == nullptr) return;
  check_heads();
  run_released([&] { static_cast<void>(pattern_on(structure_->device())); });
}

bool GraphHandle::has_vertices_on_device() const {
  const cuda::BorrowedStream stream(structure_->device());
  return are_vertices_on_device(structure_->heads.items<vertex_t>(), pattern_.n_vertices, *stream);
}

void GraphHandle::use_weights(const DeviceArray& weights) {
  EXPECTS(weights.length() == pattern_.n_arcs, "data has ", weights.length(),
          " entries and indices ", pattern_.n_arcs, "; both must have the same length");
  EXPECTS(structure_ != nullptr && weights.device() == structure_->device() && !dtype_of_caller_,
          "weights on a device belong to a structure there, and are set first");
  dispatch_weight(weights.dtype(), [&]<class W>() {
    set_type_of_caller<W>();
    weights_on_device_ = std::make_unique<ArrayOnDevice>(weights);
    run_released([&] {
      const std::span<const W> items = weights_on_device_->items<W>();
      const Device device = weights.device();
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

GraphHandle::GraphHandle(py::array indptr, const DeviceArray& /*indptr_on_device*/,
                         const DeviceArray& indices)
    : GraphHandle(std::move(indptr), static_cast<edge_t>(indices.length())) {
  require_device(indices.device());
}

void GraphHandle::refer_to_structure() {}

bool GraphHandle::is_readable_from(Device) const { return false; }

bool GraphHandle::has_vertices_on_device() const { return false; }

void GraphHandle::use_weights(const DeviceArray& weights) { require_device(weights.device()); }

#endif

}  // namespace warpgraph
