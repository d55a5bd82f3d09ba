// A graph divided among CUDA devices: each has the rows of a part, numbered from 0, with heads that
// are numbered as in the whole graph. Kept between calls.
#pragma once

#include "core/containers/at.hpp"
#include "core/containers/made_once.hpp"
#include "core/function_ref.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/partition/device_graph.hpp"
#include "graph/partition/partition.hpp"

#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

namespace warpgraph {

/// A partition of a graph on devices. The member functions that take a part may run on several
/// threads at a time.
class DevicePartition {
 public:
  /// Makes a part for each entry of `devices`, which may repeat, and copies nothing. The arrays of
  /// the graph on the host, except weights, must outlive this.
  DevicePartition(const CsrPattern& graph, std::vector<Device> devices);
  /// Makes the given parts, one for each entry of `devices`.
  DevicePartition(const CsrPattern& graph, std::vector<Device> devices, const PartitionView& parts);

  [[nodiscard]] const PartitionView& parts() const noexcept { return parts_; }
  [[nodiscard]] const std::vector<Device>& devices() const noexcept { return devices_; }

  /// Returns the numbers of rows and arcs of a part, without arrays.
  [[nodiscard]] CsrPattern shape(int part) const;
  /// Returns the rows of a part on its device. The first call copies those of all parts. Throws
  /// OutOfMemory.
  [[nodiscard]] CsrPattern pattern(int part);
  /// Returns the rows of a part with their weights, if the whole graph, on the host, has weights.
  template <class W>
  [[nodiscard]] CsrView<W> rows(int part, const CsrView<W>& graph);
  /// Copies the rows of all parts that are not on their devices, over all connections at a time,
  /// and checks their heads on the way unless `check` is null. Threads that have time call
  /// beside(), until that returns false. Returns whether no part was there before. Throws
  /// OutOfMemory.
  bool copy_rows(HeadsCheck* check, FunctionRef<bool()> beside);
  /// Copies the weights of all parts likewise.
  template <class W>
  void copy_weights(const CsrView<W>& graph, WeightsCheck<W>* check = nullptr);
  /// Returns the structures that algorithms have derived from the rows of a part.
  [[nodiscard]] cuda::DerivedCache& derived(int part);
  /// Returns the structures that algorithms have derived from the whole graph, for all devices.
  /// They are made on a stream of the first one; the rows of the parts need not be on the devices.
  [[nodiscard]] cuda::DerivedCache& derived_for_all();

  /// Throws OutOfMemory, as MemoryBudget does, unless each device has memory for the rows of its
  /// parts and for the bytes_beside(part) that a call allocates. The budget is that of each device
  /// for both.
  template <class W>
  void require_memory(std::string_view what, const CsrView<W>& graph,
                      const std::function<std::size_t(int)>& bytes_beside,
                      MemoryBudget budget) const;
  /// Returns derived(part) if the part is on its device, else null.
  [[nodiscard]] const cuda::DerivedCache* derived_if_copied(int part) const;
  /// Returns the bytes of rows() on a device.
  template <class W>
  [[nodiscard]] std::size_t bytes_of_rows(Device device, const CsrView<W>& graph) const;

  /// Returns the bytes on all devices. Does not wait for copies that other threads make.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct ForAll {
    cuda::BorrowedStream stream;
    cuda::DerivedCache derived;
    explicit ForAll(Device device) : stream(device, cuda::Lifetime::kept), derived(*stream) {}
  };

  [[nodiscard]] std::size_t bytes_of_structure(int part) const;
  /// Returns the weights of a part's arcs, without a structure.
  template <class W>
  [[nodiscard]] CsrView<W> weights_of(int part, const CsrView<W>& graph) const;
  /// Calls use(graph) for the copy of a part, one thread at a time.
  template <class Use>
  decltype(auto) with_copy(int part, Use&& use);

  const CsrPattern graph_;
  const std::vector<Device> devices_;
  const PartitionView parts_;
  std::deque<MadeOnce<DeviceGraph>> copies_;  // a copy of each part
  std::recursive_mutex copying_;              // held while all parts are copied
  MadeOnce<ForAll> for_all_;
};

}  // namespace warpgraph
