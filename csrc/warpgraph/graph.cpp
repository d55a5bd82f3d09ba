#include "warpgraph/graph.hpp"

#include "core/containers/at.hpp"
#include "warpgraph/client.hpp"

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
struct Graph::Shared {
  StructureFacts facts;
#if defined(WARPGRAPH_HAS_CUDA)
  DeviceCopies<SharedStructure> on_devices;
#endif
};

Graph::Graph(SharedArray indptr, edge_t n_arcs)
    : indptr_(std::move(indptr)), shared_(std::make_shared<Shared>()) {
  EXPECTS(indptr_.size >= 1,
          "indptr is empty; it must have one entry more than the matrix has rows");
  EXPECTS(indptr_.size - 1 <= infinity<vertex_t>(), "the graph has ", indptr_.size - 1,
          " vertices; at most ", infinity<vertex_t>(), " are supported");
  pattern_.n_vertices = static_cast<vertex_t>(indptr_.size - 1);
  pattern_.n_arcs = n_arcs;
  pattern_.offsets = indptr_.has<std::int64_t>() ? Offsets(indptr_.items<std::int64_t>().data())
                                                 : Offsets(indptr_.items<std::int32_t>().data());
  run_as_call([&] { validate_offsets(pattern_); });
}

Graph::Graph(SharedArray indptr, SharedArray indices, bool defers_checks)
    : Graph(std::move(indptr), indices.size) {
  indices_ = std::move(indices);
  defers_checks_ = defers_checks;
  if (defers_checks && indices_.size > 0 && indices_.has<std::int64_t>()) {
    wide_heads_ = indices_.items<std::int64_t>().data();
    return;
  }
  pattern_.heads = indices_.items<vertex_t>().data();
  if (!defers_checks) check_heads();
}

void Graph::check_heads() const {
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
bool Graph::has_unchecked_weights() const noexcept {
  return has_weights_on_host() && is_of_caller<W>() && !weight_facts_.is_checked.if_known();
}

/// Throws std::invalid_argument if a weight is NaN, and keeps what else the check has found.
template <class W>
void Graph::accept(const WeightsCheck<W>& check, std::span<const W> weights) const {
  if (check.is_passed()) {
    weight_facts_.unusual.get([] { return UnusualWeights{}; });
  } else {
    validate_weights<W>(weights, host_pattern());
  }
  weight_facts_.is_checked.get([] { return true; });
}

template <class F>
void Graph::with_unchecked_weights(F&& f) const {
  if (!has_weights_on_host()) return;
  with_type_of_caller([&]<class W>() {
    if (has_unchecked_weights<W>()) f(weights_of<W>().template items<W>());
  });
}

void Graph::check_weights() const {
  with_unchecked_weights([&]<class W>(std::span<const W> weights) {
    run_as_call([&] {
      WeightsCheck<W> check;
      look_at_all(check, weights);
      accept(check, weights);
    });
  });
}

void Graph::set_weights(SharedArray weights) {
  EXPECTS(weights.size == pattern_.n_arcs, "data has ", weights.size, " entries and indices ",
          pattern_.n_arcs, "; both must have the same length");
  dispatch(weights.type, [&]<class W>() {
    const std::span<const W> values = weights.items<W>();
    SharedArray& kept = weights_[static_cast<std::size_t>(weights.type)];
    if (type_of_caller_) {
      run_as_call([&] {
        WeightsCheck<W> check;
        if (structure_ != nullptr) look_at_all(check, values);  // needs no heads
        if (structure_ == nullptr || !check.is_passed()) validate_weights<W>(values, pattern());
      });
      kept = std::move(weights);
      return;
    }
    if (!defers_checks_) {
      run_as_call([&] {
        WeightsCheck<W> check;
        look_at_all(check, values);
        accept(check, values);
      });
    }
    type_of_caller_ = weights.type;
    kept = std::move(weights);
  });
}

std::size_t Graph::host_bytes() const {
  return structure_bytes() + (type_of_caller_ ? bytes_of(*type_of_caller_) * at(n_arcs()) : 0);
}

std::size_t Graph::structure_bytes() const {
  return indptr_.bytes() + at(pattern_.n_arcs) * sizeof(vertex_t);
}

StructureFacts& Graph::structure_facts() const noexcept { return shared_->facts; }

template <class W>
CsrView<W> Graph::view() const {
  check();
  return unchecked_view<W>();
}

template <class W>
CsrView<W> Graph::unchecked_view() const {
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = host_pattern();
  EXPECTS(has_weights<W>(), "the graph has no weights of this type yet");
  const SharedArray& weights =
      on_device<W>() ? weights_on_device_->on_host("data") : weights_of<W>();
  view.weights = static_cast<const W*>(weights.data);
  return view;
}

template <class W>
CsrView<W> Graph::given_view(Device for_device) const {
  if (structure_ == nullptr || !is_readable_from(for_device)) return unchecked_view<W>();
  CsrView<W> view;
  static_cast<CsrPattern&>(view) = given_pattern(for_device);
  EXPECTS(has_weights<W>(), "the graph has no weights of this type yet");
  view.weights = on_device<W>() ? weights_on_device_->items<W>().data()
                                : static_cast<const W*>(weights_of<W>().data);
  return view;
}

#if defined(WARPGRAPH_HAS_CUDA)

struct Graph::Resident : DeviceGraph {
  using DeviceGraph::DeviceGraph;
};
struct Graph::Parts : DevicePartition {
  using DevicePartition::DevicePartition;
};

template <class Use>
decltype(auto) Graph::with_resident(Device device, Use&& use) {
  return with_resident(device, std::forward<Use>(use), [] { return false; });
}

template <class Use>
decltype(auto) Graph::with_resident(Device device, Use&& use, FunctionRef<bool()> beside) {
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
void Graph::look_at_weights_beside(Copy&& copy) const {
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

CsrPattern Graph::pattern_on(Device device) {
  CsrPattern found;
  look_at_weights_beside([&](FunctionRef<bool()> beside) { found = structure_on(device, beside); });
  return found;
}

CsrPattern Graph::structure_on(Device device, FunctionRef<bool()> beside) {
  return with_resident(
      device, [](const Resident& resident) { return resident.pattern(); }, beside);
}

template <class W, class Use>
decltype(auto) Graph::with_given_weights(Device device, Use&& use) {
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
CsrView<W> Graph::view_on(Device device) {
  if (!has_weights<W>() && has_weights_on<W>(device)) {  // which were made there
    return with_resident(device, [](Resident& resident) { return resident.kept_view<W>(); });
  }
  return with_given_weights<W>(
      device, [](Resident& resident, const CsrView<W>& given, WeightsCheck<W>* check) {
        return resident.with_weights_of(given, check);
      });
}

template <class W>
bool Graph::convert_on(Device device) {
  return with_type_of_caller([&]<class From>() {
    return run_as_call([&] {
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

bool Graph::can_check_on(Device device, bool reads_weights, std::size_t bytes) const {
  const bool has_weights = reads_weights && has_weights_on_host();
  const bool checks_weights = has_weights && !weight_facts_.is_checked.if_known();
  if (shared_->facts.is_checked.if_known() && !checks_weights) return false;
  return is_checked_where_read(device, bytes);
}

template <class Copy>
void Graph::check_by(Device device, const Copy& copy) {
  if (!is_checked_where_read(device, host_bytes())) return;
  try {
    copy();
  } catch (const OutOfMemory&) {  // The call itself will say what lacks memory.
  }
}

void Graph::check_on(Device device, bool reads_weights, bool measures_depth) {
  check_by(device, [&] {
    if (!reads_weights || !has_weights_on_host()) {
      return run_as_call([&] { static_cast<void>(pattern_on(device)); });
    }
    with_type_of_caller([&]<class W>() {
      const auto copy_weights = [&] { static_cast<void>(view_on<W>(device)); };
      run_as_call(
          [&] { measures_depth ? measure_depth_beside(device, copy_weights) : copy_weights(); });
    });
  });
}

template <class W>
void Graph::check_lengths_on(Device device) {
  check_by(device, [&] { static_cast<void>(convert_on<W>(device)); });
}

void Graph::copy_parts(DevicePartition& parts, FunctionRef<bool()> beside) {
  HeadsCheck check(pattern_.n_vertices);
  if (!parts.copy_rows(&check, beside)) return;
  if (!check.is_passed()) validate_heads(host_pattern());
  shared_->facts.is_checked.get([] { return true; });
}

bool Graph::check_on_parts(const std::vector<Device>& devices, bool reads_weights) {
  const auto n_bytes = host_bytes();  // of all parts, which one device may have
  const auto can_check = [&](Device device) {
    return can_check_on(device, reads_weights, n_bytes);
  };
  if (!std::ranges::all_of(devices, can_check) || parts_of(devices).bytes() > 0) return false;
  try {
    run_as_call([&] {
      DevicePartition& parts = parts_of(devices);
      if (!reads_weights || !has_weights_on_host()) {
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

cuda::DerivedCache& Graph::derived_on(Device device) {
  return with_resident(
      device, [](Resident& resident) -> cuda::DerivedCache& { return resident.derived(); });
}

DevicePartition& Graph::parts_of(const std::vector<Device>& devices) {
  std::vector<int> indices;
  for (const Device device : devices) indices.push_back(device.index);
  return parts_.with(
      indices, [&] { return std::make_unique<Parts>(host_pattern(), devices); },
      [](Parts& parts) -> DevicePartition& { return parts; });
}

DevicePartition* Graph::parts_on(const std::vector<Device>& devices) {
  if (!std::ranges::all_of(devices, &Device::is_cuda)) return nullptr;
  check();
  return &parts_of(devices);
}

DevicePartition* Graph::parts_like(const DevicePartition& other) {
  std::vector<int> key{-1};  // differs from the keys of parts_on()
  for (const Device device : other.devices()) key.push_back(device.index);
  return parts_.with(
      key, [&] { return std::make_unique<Parts>(pattern(), other.devices(), other.parts()); },
      [](Parts& parts) -> DevicePartition* { return &parts; });
}

template <class W>
bool Graph::has_weights_on(Device device) {
  return has_copy_on(device) &&
         with_resident(device, [](const Resident& resident) { return resident.has_weights<W>(); });
}

std::size_t Graph::device_bytes() const { return residents_.bytes() + parts_.bytes(); }

Device Graph::device_of_copy() const {
  const std::optional<int> index = residents_.first();
  return index ? Device{Device::Kind::cuda, *index} : Device{};
}

#else

struct Graph::Resident {};
struct Graph::Parts {};

#endif

Graph::Graph(const Graph& other, std::shared_ptr<Shared> shared)
    : indptr_(other.indptr_),
      indices_(other.indices_),
      pattern_(other.pattern_),
      defers_checks_(other.defers_checks_),
      structure_(other.structure_),
      wide_heads_(other.wide_heads_),
      shared_(std::move(shared)) {}

Graph::~Graph() = default;

std::unique_ptr<Graph> Graph::structure_only() const {
  std::unique_ptr<Graph> made(new Graph(*this, std::make_shared<Shared>()));
  // Without the copies on the host.
  if (structure_ != nullptr) made->structure_ = std::make_shared<StructureOnDevice>(*structure_);
  made->refer_to_structure();
  return made;
}

std::unique_ptr<Graph> Graph::with_structure() const {
  std::unique_ptr<Graph> made(new Graph(*this, shared_));
  made->refer_to_structure();
  return made;
}

#define WARPGRAPH_INSTANTIATE(W) template CsrView<W> Graph::view<W>() const;
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

#if defined(WARPGRAPH_HAS_CUDA)
#define WARPGRAPH_INSTANTIATE(W)                  \
  template CsrView<W> Graph::view_on<W>(Device);  \
  template bool Graph::has_weights_on<W>(Device); \
  template bool Graph::convert_on<W>(Device);     \
  template void Graph::check_lengths_on<W>(Device);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE
#endif

}  // namespace warpgraph
