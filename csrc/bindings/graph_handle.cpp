#include "bindings/graph_handle.hpp"

#include "bindings/call.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "graph/partition/device_partition.hpp"
#endif

namespace warpgraph {

#if defined(WARPGRAPH_HAS_CUDA)
namespace {

struct SharedStructure {
  std::shared_ptr<const DeviceStructure> copy;
  [[nodiscard]] std::size_t bytes() const noexcept { return copy->bytes(); }
};

}  // namespace
#endif

/// The data that depend on the structure alone.
struct GraphHandle::Shared {
  StructureFacts facts;
#if defined(WARPGRAPH_HAS_CUDA)
  DeviceCopies<SharedStructure> on_devices;
#endif
};

GraphHandle::GraphHandle(py::array indptr, py::array indices)
    : indptr_(std::move(indptr)),
      indices_(std::move(indices)),
      shared_(std::make_shared<Shared>()) {
  EXPECTS(indptr_.size() >= 1,
          "indptr is empty; it must have one entry more than the matrix has rows");
  EXPECTS(indptr_.size() - 1 <= infinity<vertex_t>(), "the graph has ", indptr_.size() - 1,
          " vertices; at most ", infinity<vertex_t>(), " are supported");
  const bool wide = py::isinstance<py::array_t<std::int64_t>>(indptr_);
  pattern_.n_vertices = static_cast<vertex_t>(indptr_.size() - 1);
  pattern_.n_arcs = static_cast<edge_t>(indices_.size());
  pattern_.offsets = wide ? Offsets(readable<std::int64_t>(indptr_).data())
                          : Offsets(readable<std::int32_t>(indptr_).data());
  pattern_.heads = readable<vertex_t>(indices_).data();
  run_released([&] { validate_structure(pattern_); });
}

void GraphHandle::set_weights(py::array weights) {
  EXPECTS(weights.size() == pattern_.n_arcs, "data has ", weights.size(), " entries and indices ",
          pattern_.n_arcs, "; both must have the same length");
  dispatch_weight(weights.dtype(), [&]<class W>() {
    const std::span<const W> values = readable<W>(weights);
    run_released([&] { validate_weights<W>(values, pattern_); });
    std::get<py::array_t<W>>(weights_) = py::array_t<W>(weights);
    if (!dtype_of_caller_) dtype_of_caller_ = py::dtype::of<W>();
  });
}

std::size_t GraphHandle::host_bytes() const {
  const py::ssize_t weights =
      dtype_of_caller_ ? dtype_of_caller_.itemsize() * pattern_.n_arcs : py::ssize_t{0};
  return structure_bytes() + static_cast<std::size_t>(weights);
}

std::size_t GraphHandle::structure_bytes() const {
  return static_cast<std::size_t>(indptr_.nbytes() + indices_.nbytes());
}

StructureFacts& GraphHandle::structure_facts() const noexcept { return shared_->facts; }

template <class W>
CsrView<W> GraphHandle::view() const {
  const auto& weights = std::get<py::array_t<W>>(weights_);
  EXPECTS(weights.size() == pattern_.n_arcs, "the graph has no weights of this type yet");
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = pattern_;
  view.weights = weights.data();
  return view;
}

#if defined(WARPGRAPH_HAS_CUDA)

struct GraphHandle::Resident : DeviceGraph {
  using DeviceGraph::DeviceGraph;
};
struct GraphHandle::Parts : DevicePartition {
  using DevicePartition::DevicePartition;
};

/// Calls use(resident), one thread at a time.
template <class Use>
decltype(auto) GraphHandle::with_resident(Device device, Use&& use) {
  const auto make_structure = [&] {
    return std::make_unique<SharedStructure>(std::make_shared<DeviceStructure>(pattern_, device));
  };
  const auto make = [&] {
    return std::make_unique<Resident>(shared_->on_devices.with(
        device.index, make_structure, [](const SharedStructure& shared) { return shared.copy; }));
  };
  return residents_.with(device.index, make, std::forward<Use>(use));
}

CsrPattern GraphHandle::pattern_on(Device device) {
  return with_resident(device, [](const Resident& resident) { return resident.pattern(); });
}

template <class W>
CsrView<W> GraphHandle::view_on(Device device) {
  const CsrView<W> host = view<W>();
  return with_resident(device, [&](Resident& resident) { return resident.with_weights_of(host); });
}

cuda::DerivedCache& GraphHandle::derived_on(Device device) {
  return with_resident(
      device, [](Resident& resident) -> cuda::DerivedCache& { return resident.derived(); });
}

DevicePartition* GraphHandle::parts_on(const std::vector<Device>& devices) {
  std::vector<int> indices;
  for (const Device device : devices) {
    if (!device.is_cuda()) return nullptr;
    indices.push_back(device.index);
  }
  return parts_.with(
      indices, [&] { return std::make_unique<Parts>(pattern_, devices); },
      [](Parts& parts) -> DevicePartition* { return &parts; });
}

DevicePartition* GraphHandle::parts_like(const DevicePartition& other) {
  std::vector<int> key{-1};  // differs from the keys of parts_on()
  for (const Device device : other.devices()) key.push_back(device.index);
  return parts_.with(
      key, [&] { return std::make_unique<Parts>(pattern_, other.devices(), other.parts()); },
      [](Parts& parts) -> DevicePartition* { return &parts; });
}

std::size_t GraphHandle::device_bytes() const { return residents_.bytes() + parts_.bytes(); }

Device GraphHandle::device_of_copy() const {
  const std::optional<int> index = residents_.first();
  return index ? Device{Device::Kind::cuda, *index} : Device{};
}

#else

struct GraphHandle::Resident {};
struct GraphHandle::Parts {};

CsrPattern GraphHandle::pattern_on(Device device) {
  require_device(device);
  return pattern_;
}

template <class W>
CsrView<W> GraphHandle::view_on(Device device) {
  require_device(device);
  return view<W>();
}

DevicePartition* GraphHandle::parts_on(const std::vector<Device>& devices) {
  for (const Device device : devices) {
    if (device.is_cuda()) require_device(device);
  }
  return nullptr;
}

DevicePartition* GraphHandle::parts_like(const DevicePartition&) { return nullptr; }

std::size_t GraphHandle::device_bytes() const { return 0; }

Device GraphHandle::device_of_copy() const { return {}; }

#endif

GraphHandle::GraphHandle(const GraphHandle& other, std::shared_ptr<Shared> shared)
    : indptr_(other.indptr_),
      indices_(other.indices_),
      pattern_(other.pattern_),
      shared_(std::move(shared)) {}

GraphHandle::~GraphHandle() = default;

std::unique_ptr<GraphHandle> GraphHandle::structure_only() const {
  return std::unique_ptr<GraphHandle>(new GraphHandle(*this, std::make_shared<Shared>()));
}

std::unique_ptr<GraphHandle> GraphHandle::with_structure() const {
  return std::unique_ptr<GraphHandle>(new GraphHandle(*this, shared_));
}

#define WARPGRAPH_INSTANTIATE(W)                    \
  template CsrView<W> GraphHandle::view<W>() const; \
  template CsrView<W> GraphHandle::view_on<W>(Device);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
