#include "bindings/graph_handle.hpp"

#include "bindings/call.hpp"
#include "core/containers/at.hpp"

#include <algorithm>

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

GraphHandle::GraphHandle(py::array indptr, edge_t n_arcs)
    : indptr_(std::move(indptr)), shared_(std::make_shared<Shared>()) {
  EXPECTS(indptr_.size() >= 1,
          "indptr is empty; it must have one entry more than the matrix has rows");
  EXPECTS(indptr_.size() - 1 <= infinity<vertex_t>(), "the graph has ", indptr_.size() - 1,
          " vertices; at most ", infinity<vertex_t>(), " are supported");
  const bool wide = py::isinstance<py::array_t<std::int64_t>>(indptr_);
  pattern_.n_vertices = static_cast<vertex_t>(indptr_.size() - 1);
  pattern_.n_arcs = n_arcs;
  pattern_.offsets = wide ? Offsets(readable<std::int64_t>(indptr_).data())
                          : Offsets(readable<std::int32_t>(indptr_).data());
  run_released([&] { validate_offsets(pattern_); });
}

GraphHandle::GraphHandle(py::array indptr, py::array indices, bool defers_checks)
    : GraphHandle(std::move(indptr), static_cast<edge_t>(indices.size())) {
  indices_ = std::move(indices);
  defers_checks_ = defers_checks;
  if (defers_checks && indices_.size() > 0 && py::isinstance<py::array_t<std::int64_t>>(indices_)) {
    wide_heads_ = readable<std::int64_t>(indices_).data();
    return;
  }
  pattern_.heads = readable<vertex_t>(indices_).data();
  if (!defers_checks) check_heads();
}

void GraphHandle::check_heads() const {
  find_once(structure_facts().is_checked, [&] {
    if (wide_heads_ != nullptr) {
      static_cast<void>(pattern_with_heads());  // checks them
    } else if (structure_ == nullptr) {
      validate_heads(pattern_);
    } else if (!has_vertices_on_device()) {
      validate_heads(host_pattern());
    }
    return true;
  });
}

template <class W>
bool GraphHandle::has_unchecked_weights() const noexcept {
  return unchecked_weights_ == &std::get<py::array_t<W>>(weights_) &&
         !weight_facts_.is_checked.if_known();
}

/// Throws std::invalid_argument if a weight is NaN, and keeps what else the check has found.
template <class W>
void GraphHandle::accept(const WeightsCheck<W>& check, std::span<const W> weights) const {
  if (check.is_passed()) {
    weight_facts_.unusual.get([] { return UnusualWeights{}; });
  } else {
    validate_weights<W>(weights, host_pattern());
  }
  weight_facts_.is_checked.get([] { return true; });
}

template <class F>
void GraphHandle::with_unchecked_weights(F&& f) const {
  const auto try_type = [&]<class W>(const py::array_t<W>& weights) {
    if (has_unchecked_weights<W>()) f(std::span<const W>(weights.data(), at(pattern_.n_arcs)));
  };
  std::apply([&](const auto&... weights) { (try_type(weights), ...); }, weights_);
}

void GraphHandle::check_weights() const {
  with_unchecked_weights([&]<class W>(std::span<const W> weights) {
    const auto look = [&] {
      WeightsCheck<W> check;
      look_at_all(check, weights);
      accept(check, weights);
    };
    has_hooks() ? look() : run_released(look);
  });
}

void GraphHandle::set_weights(py::array weights) {
  EXPECTS(weights.size() == pattern_.n_arcs, "data has ", weights.size(), " entries and indices ",
          pattern_.n_arcs, "; both must have the same length");
  dispatch_weight(weights.dtype(), [&]<class W>() {
    const std::span<const W> values = readable<W>(weights);
    py::array_t<W>& kept = std::get<py::array_t<W>>(weights_);
    if (dtype_of_caller_) {
      run_released([&] {
        WeightsCheck<W> check;
        if (structure_ != nullptr) look_at_all(check, values);  // needs no heads
        if (structure_ == nullptr || !check.is_passed()) validate_weights<W>(values, pattern());
      });
      kept = py::array_t<W>(weights);
      return;
    }
    if (!defers_checks_) {
      run_released([&] {
        WeightsCheck<W> check;
        look_at_all(check, values);
        accept(check, values);
      });
    }
    kept = py::array_t<W>(weights);
    set_type_of_caller<W>();
    unchecked_weights_ = &kept;
  });
}

std::size_t GraphHandle::host_bytes() const {
  const py::ssize_t weights =
      dtype_of_caller_ ? dtype_of_caller_.itemsize() * pattern_.n_arcs : py::ssize_t{0};
  return structure_bytes() + static_cast<std::size_t>(weights);
}

std::size_t GraphHandle::structure_bytes() const {
  return static_cast<std::size_t>(indptr_.nbytes()) + at(pattern_.n_arcs) * sizeof(vertex_t);
}

StructureFacts& GraphHandle::structure_facts() const noexcept { return shared_->facts; }

template <class W>
CsrView<W> GraphHandle::view() const {
  check();
  return unchecked_view<W>();
}

template <class W>
CsrView<W> GraphHandle::unchecked_view() const {
  const auto& weights = std::get<py::array_t<W>>(weights_);
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = host_pattern();
  if (on_device<W>()) {
    view.weights = static_cast<const W*>(weights_on_device_->on_host("data"));
    return view;
  }
  EXPECTS(weights.size() == pattern_.n_arcs, "the graph has no weights of this type yet");
  view.weights = weights.data();
  return view;
}

template <class W>
CsrView<W> GraphHandle::given_view(Device for_device) const {
  if (structure_ == nullptr || !is_readable_from(for_device)) return unchecked_view<W>();
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = given_pattern(for_device);
  const auto& weights = std::get<py::array_t<W>>(weights_);
  EXPECTS(has_weights<W>(), "the graph has no weights of this type yet");
  view.weights = on_device<W>() ? weights_on_device_->items<W>().data() : weights.data();
  return view;
}

#if defined(WARPGRAPH_HAS_CUDA)

struct GraphHandle::Resident : DeviceGraph {
  using DeviceGraph::DeviceGraph;
};
struct GraphHandle::Parts : DevicePartition {
  using DevicePartition::DevicePartition;
};

template <class Use>
decltype(auto) GraphHandle::with_resident(Device device, Use&& use) {
  return with_resident(device, std::forward<Use>(use), [] { return false; });
}

template <class Use>
decltype(auto) GraphHandle::with_resident(Device device, Use&& use, FunctionRef<bool()> beside) {
  const auto make_structure = [&] {
    if (structure_ != nullptr && structure_->device() == device) {
      return std::make_unique<SharedStructure>(
          DeviceStructure::in_place(structure_->pattern, device));
    }
    const bool narrows = wide_heads_ != nullptr && with_heads_.if_made() == nullptr;
    const bool checks = narrows || !shared_->facts.is_checked.if_known();
    HeadsCheck check(pattern_.n_vertices);
    cuda::Upload upload;
    auto copy = std::make_shared<DeviceStructure>(narrows ? pattern_ : given_pattern(device),
                                                  device, upload, checks ? &check : nullptr,
                                                  narrows ? wide_heads_ : nullptr);
    upload.finish(beside);
    copy->wait();
    if (checks) {
      if (!check.is_passed()) validate_heads(host_pattern());
      shared_->facts.is_checked.get([] { return true; });
    }
    return std::make_unique<SharedStructure>(std::move(copy));
  };
  const auto make = [&] {
    return std::make_unique<Resident>(shared_->on_devices.with(
        device.index, make_structure, [](const SharedStructure& shared) { return shared.copy; }));
  };
  return residents_.with(device.index, make, std::forward<Use>(use));
}

template <class Copy>
void GraphHandle::look_at_weights_beside(Copy&& copy) const {
  bool is_copied = false;
  with_unchecked_weights([&]<class W>(std::span<const W> weights) {
    WeightsCheck<W> check;
    WeightParts<W> parts(check, weights);
    copy([&] { return parts.look_at_next(); });
    while (parts.look_at_next()) {  // if the copy was there before
    }
    accept(check, weights);
    is_copied = true;
  });
  if (!is_copied) copy([] { return false; });
}

CsrPattern GraphHandle::pattern_on(Device device) {
  CsrPattern found;
  look_at_weights_beside([&](FunctionRef<bool()> beside) { found = structure_on(device, beside); });
  return found;
}

CsrPattern GraphHandle::structure_on(Device device, FunctionRef<bool()> beside) {
  return with_resident(
      device, [](const Resident& resident) { return resident.pattern(); }, beside);
}

template <class W, class Use>
decltype(auto) GraphHandle::with_given_weights(Device device, Use&& use) {
  const CsrView<W> given = given_view<W>(device);
  const bool checks = has_unchecked_weights<W>();
  WeightsCheck<W> check;
  auto found = with_resident(device, [&](Resident& resident) {
    if (on_device<W>() && weights_on_device_->device() == device) {
      resident.use_weights(weights_on_device_->items<W>());
    }
    return use(resident, given, checks ? &check : nullptr);
  });
  if (checks) {
    // They may have been copied before, by a call that found a NaN.
    const std::span<const W> weights(given.weights, at(given.n_arcs));
    check.n_seen() == weights.size() ? accept(check, weights) : check_weights();
  }
  return found;
}

template <class W>
CsrView<W> GraphHandle::view_on(Device device) {
  if (!has_weights<W>() && has_weights_on<W>(device)) {  // which were made there
    return with_resident(device, [](Resident& resident) { return resident.kept_view<W>(); });
  }
  return with_given_weights<W>(
      device, [](Resident& resident, const CsrView<W>& given, WeightsCheck<W>* check) {
        return resident.with_weights_of(given, check);
      });
}

template <class W>
bool GraphHandle::convert_on(Device device) {
  return with_type_of_caller([&]<class From>() {
    return run_released([&] {
      if (has_weights_on<W>(device)) {
        check();
        return true;
      }
      const bool fits = with_given_weights<From>(
          device, [](Resident& resident, const CsrView<From>& given, WeightsCheck<From>* check) {
            return resident.convert_weights_of<W>(given, check);
          });
      if (fits) converted_types_.fetch_or(bit_of<W>, std::memory_order_relaxed);
      return fits;
    });
  });
}

bool GraphHandle::can_check_on(Device device, bool reads_weights, std::size_t bytes) const {
  const bool has_weights = reads_weights && unchecked_weights_ != nullptr;
  const bool checks_weights = has_weights && !weight_facts_.is_checked.if_known();
  if (shared_->facts.is_checked.if_known() && !checks_weights) return false;
  return is_checked_where_read(device, bytes);
}

template <class Copy>
void GraphHandle::check_by(Device device, const Copy& copy) {
  if (!is_checked_where_read(device, host_bytes())) return;
  try {
    copy();
  } catch (const OutOfMemory&) {  // The call itself will say what lacks memory.
  }
}

void GraphHandle::check_on(Device device, bool reads_weights, bool measures_depth) {
  check_by(device, [&] {
    if (!reads_weights || unchecked_weights_ == nullptr) {
      return run_released([&] { static_cast<void>(pattern_on(device)); });
    }
    with_type_of_caller([&]<class W>() {
      const auto copy_weights = [&] { static_cast<void>(view_on<W>(device)); };
      run_released(
          [&] { measures_depth ? measure_depth_beside(device, copy_weights) : copy_weights(); });
    });
  });
}

template <class W>
void GraphHandle::check_lengths_on(Device device) {
  check_by(device, [&] { static_cast<void>(convert_on<W>(device)); });
}

void GraphHandle::copy_parts(DevicePartition& parts, FunctionRef<bool()> beside) {
  HeadsCheck check(pattern_.n_vertices);
  if (!parts.copy_rows(&check, beside)) return;
  if (!check.is_passed()) validate_heads(host_pattern());
  shared_->facts.is_checked.get([] { return true; });
}

bool GraphHandle::check_on_parts(const std::vector<Device>& devices, bool reads_weights) {
  const auto n_bytes = host_bytes();  // of all parts, which one device may have
  const auto can_check = [&](Device device) {
    return can_check_on(device, reads_weights, n_bytes);
  };
  if (!std::ranges::all_of(devices, can_check) || parts_of(devices).bytes() > 0) return false;
  try {
    run_released([&] {
      DevicePartition& parts = parts_of(devices);
      if (!reads_weights || unchecked_weights_ == nullptr) {
        return look_at_weights_beside(
            [&](FunctionRef<bool()> beside) { copy_parts(parts, beside); });
      }
      copy_parts(parts, [] { return false; });
      with_unchecked_weights([&]<class W>(std::span<const W> weights) {
        WeightsCheck<W> check;
        parts.copy_weights(unchecked_view<W>(), &check);
        check.n_seen() == weights.size() ? accept(check, weights) : check_weights();
      });
    });
  } catch (const OutOfMemory&) {
    return false;
  }
  return true;
}

cuda::DerivedCache& GraphHandle::derived_on(Device device) {
  return with_resident(
      device, [](Resident& resident) -> cuda::DerivedCache& { return resident.derived(); });
}

DevicePartition& GraphHandle::parts_of(const std::vector<Device>& devices) {
  std::vector<int> indices;
  for (const Device device : devices) indices.push_back(device.index);
  return parts_.with(
      indices, [&] { return std::make_unique<Parts>(host_pattern(), devices); },
      [](Parts& parts) -> DevicePartition& { return parts; });
}

DevicePartition* GraphHandle::parts_on(const std::vector<Device>& devices) {
  if (!std::ranges::all_of(devices, &Device::is_cuda)) return nullptr;
  check();
  return &parts_of(devices);
}

DevicePartition* GraphHandle::parts_like(const DevicePartition& other) {
  std::vector<int> key{-1};  // differs from the keys of parts_on()
  for (const Device device : other.devices()) key.push_back(device.index);
  return parts_.with(
      key, [&] { return std::make_unique<Parts>(pattern(), other.devices(), other.parts()); },
      [](Parts& parts) -> DevicePartition* { return &parts; });
}

template <class W>
bool GraphHandle::has_weights_on(Device device) {
  return has_copy_on(device) &&
         with_resident(device, [](const Resident& resident) { return resident.has_weights<W>(); });
}

std::size_t GraphHandle::device_bytes() const { return residents_.bytes() + parts_.bytes(); }

Device GraphHandle::device_of_copy() const {
  const std::optional<int> index = residents_.first();
  return index ? Device{Device::Kind::cuda, *index} : Device{};
}

#else

struct GraphHandle::Resident {};
struct GraphHandle::Parts {};

#endif

GraphHandle::GraphHandle(const GraphHandle& other, std::shared_ptr<Shared> shared)
    : indptr_(other.indptr_),
      indices_(other.indices_),
      pattern_(other.pattern_),
      defers_checks_(other.defers_checks_),
      structure_(other.structure_),
      wide_heads_(other.wide_heads_),
      shared_(std::move(shared)) {}

GraphHandle::~GraphHandle() = default;

std::unique_ptr<GraphHandle> GraphHandle::structure_only() const {
  std::unique_ptr<GraphHandle> made(new GraphHandle(*this, std::make_shared<Shared>()));
  // Without the copies on the host.
  if (structure_ != nullptr) made->structure_ = std::make_shared<StructureOnDevice>(*structure_);
  made->refer_to_structure();
  return made;
}

std::unique_ptr<GraphHandle> GraphHandle::with_structure() const {
  std::unique_ptr<GraphHandle> made(new GraphHandle(*this, shared_));
  made->refer_to_structure();
  return made;
}

#define WARPGRAPH_INSTANTIATE(W) template CsrView<W> GraphHandle::view<W>() const;
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

#if defined(WARPGRAPH_HAS_CUDA)
#define WARPGRAPH_INSTANTIATE(W)                        \
  template CsrView<W> GraphHandle::view_on<W>(Device);  \
  template bool GraphHandle::has_weights_on<W>(Device); \
  template bool GraphHandle::convert_on<W>(Device);     \
  template void GraphHandle::check_lengths_on<W>(Device);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE
#endif

}  // namespace warpgraph
