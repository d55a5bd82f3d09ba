#include "core/cuda/copies/upload.hpp"
#include "graph/partition/device_partition.hpp"

#include <memory>
#include <set>
#include <utility>

namespace warpgraph {

DevicePartition::DevicePartition(const CsrPattern& graph, std::vector<Device> devices)
    : DevicePartition(graph, devices, equal_arcs(graph, static_cast<int>(devices.size()))) {}

DevicePartition::DevicePartition(const CsrPattern& graph, std::vector<Device> devices,
                                 const PartitionView& parts)
    : graph_(graph), devices_(std::move(devices)), parts_(parts), copies_(devices_.size()) {}

CsrPattern DevicePartition::shape(int part) const {
  CsrPattern rows;
  rows.n_vertices = parts_.size(part);
  if (rows.n_vertices > 0) {
    rows.n_arcs = graph_.offsets[parts_.end(part)] - graph_.offsets[parts_.begin(part)];
  }
  return rows;
}

std::size_t DevicePartition::bytes_of_structure(int part) const {
  return (at(parts_.size(part)) + 1) * sizeof(edge_t) +
         static_cast<std::size_t>(shape(part).n_arcs) * sizeof(vertex_t);
}

bool DevicePartition::copy_rows(HeadsCheck* check, FunctionRef<bool()> beside) {
  const std::lock_guard lock(copying_);
  cuda::Upload upload;
  std::deque<GraphPart> rows;  // whose offsets the upload reads
  std::vector<std::shared_ptr<DeviceStructure>> made(copies_.size());
  bool are_all_new = true;
  for (int part = 0; part < parts_.n_parts; ++part) {
    if (copies_[at(part)].if_made() != nullptr) {
      are_all_new = false;
      continue;
    }
    const GraphPart& host = rows.emplace_back(graph_, parts_, part);
    made[at(part)] =
        std::make_shared<DeviceStructure>(host.rows, devices_[at(part)], upload, check);
  }
  upload.finish(beside);
  for (std::size_t part = 0; part < made.size(); ++part) {
    if (made[part] == nullptr) continue;
    made[part]->wait();
    copies_[part].with([&] { return std::make_unique<DeviceGraph>(made[part]); },
                       [](const DeviceGraph&) {});
  }
  return are_all_new;
}

template <class Use>
decltype(auto) DevicePartition::with_copy(int part, Use&& use) {
  if (copies_[at(part)].if_made() == nullptr) copy_rows(nullptr, [] { return false; });
  const auto make = [&] {
    const GraphPart rows(graph_, parts_, part);
    return std::make_unique<DeviceGraph>(rows.rows, devices_[at(part)]);
  };
  return copies_[at(part)].with(make, std::forward<Use>(use));
}

template <class W>
CsrView<W> DevicePartition::weights_of(int part, const CsrView<W>& graph) const {
  CsrView<W> rows = with_weights<W>(shape(part), nullptr);
  rows.weights = graph.weights + (rows.n_arcs == 0 ? 0 : graph.offsets[parts_.begin(part)]);
  return rows;
}

template <class W>
void DevicePartition::copy_weights(const CsrView<W>& graph, WeightsCheck<W>* check) {
  const std::lock_guard lock(copying_);
  cuda::Upload upload;
  std::vector<std::unique_ptr<cuda::DeviceBuffer<W>>> made(copies_.size());
  for (int part = 0; part < parts_.n_parts; ++part) {
    made[at(part)] = with_copy(part, [&](const DeviceGraph& copy) {
      return copy.has_weights<W>() ? nullptr
                                   : copy.add_weights(weights_of(part, graph), upload, check);
    });
  }
  upload.finish();
  for (int part = 0; part < parts_.n_parts; ++part) {
    if (made[at(part)] == nullptr) continue;
    with_copy(part, [&](DeviceGraph& copy) { copy.keep_weights(std::move(made[at(part)])); });
  }
}

CsrPattern DevicePartition::pattern(int part) {
  return with_copy(part, [](const DeviceGraph& copy) { return copy.pattern(); });
}

template <class W>
CsrView<W> DevicePartition::rows(int part, const CsrView<W>& graph) {
  if (graph.weights == nullptr) return with_weights<W>(pattern(part), nullptr);
  const auto has_weights = [](const DeviceGraph& copy) { return copy.has_weights<W>(); };
  if (!with_copy(part, has_weights)) copy_weights(graph);
  return with_copy(
      part, [&](DeviceGraph& copy) { return copy.with_weights_of(weights_of(part, graph)); });
}

cuda::DerivedCache& DevicePartition::derived(int part) {
  return with_copy(part, [](DeviceGraph& copy) -> cuda::DerivedCache& { return copy.derived(); });
}

const cuda::DerivedCache* DevicePartition::derived_if_copied(int part) const {
  const DeviceGraph* const copy = copies_[at(part)].if_made();
  return copy != nullptr ? &copy->derived() : nullptr;
}

cuda::DerivedCache& DevicePartition::derived_for_all() {
  return for_all_.with([&] { return std::make_unique<ForAll>(devices_.front()); },
                       [](ForAll& made) -> cuda::DerivedCache& { return made.derived; });
}

template <class W>
std::size_t DevicePartition::bytes_of_rows(Device device, const CsrView<W>& graph) const {
  std::size_t sum = 0;
  for (int part = 0; part < parts_.n_parts; ++part) {
    if (devices_[at(part)] != device) continue;
    sum += bytes_of_structure(part);
    if (graph.weights != nullptr) sum += static_cast<std::size_t>(shape(part).n_arcs) * sizeof(W);
  }
  return sum;
}

template <class W>
void DevicePartition::require_memory(std::string_view what, const CsrView<W>& graph,
                                     const std::function<std::size_t(int)>& bytes_beside,
                                     MemoryBudget budget) const {
  std::set<int> indices;
  for (const Device device : devices_) {
    if (!indices.insert(device.index).second) continue;
    std::size_t kept = 0;
    std::size_t beside = 0;
    for (int part = 0; part < parts_.n_parts; ++part) {
      if (devices_[at(part)] != device) continue;
      beside += bytes_beside(part);
      const DeviceGraph* const copy = copies_[at(part)].if_made();
      if (copy == nullptr) continue;
      kept += bytes_of_structure(part);
      if (graph.weights != nullptr && copy->has_weights<W>()) {
        kept += static_cast<std::size_t>(shape(part).n_arcs) * sizeof(W);
      }
    }
    budget.on(device).after(kept).require(what, bytes_of_rows(device, graph) - kept + beside,
                                          "name more devices, or use device=\"cpu\"");
  }
}

std::size_t DevicePartition::bytes() const {
  std::size_t sum = 0;
  for (const MadeOnce<DeviceGraph>& slot : copies_) {
    if (const DeviceGraph* const copy = slot.if_made()) sum += copy->bytes();
  }
  const ForAll* const for_all = for_all_.if_made();
  return sum + (for_all != nullptr ? for_all->derived.bytes() : 0);
}

#define WARPGRAPH_INSTANTIATE(W)                                                                 \
  template void DevicePartition::copy_weights(const CsrView<W>&, WeightsCheck<W>*);              \
  template CsrView<W> DevicePartition::rows(int, const CsrView<W>&);                             \
  template std::size_t DevicePartition::bytes_of_rows(Device, const CsrView<W>&) const;          \
  template void DevicePartition::require_memory(                                                 \
      std::string_view, const CsrView<W>&, const std::function<std::size_t(int)>&, MemoryBudget) \
      const;
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
