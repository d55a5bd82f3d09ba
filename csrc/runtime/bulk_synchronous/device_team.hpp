// CUDA devices that compute in rounds (supersteps): in a round, each member works on a stream of
// its own device and writes what others need into their memory, or sends it; a barrier ends the
// round [1]. One thread of the host puts rounds on all streams and runs ahead of them: barriers are
// events, so no kernel waits for another one, and members may share a device.
//
// A barrier takes some 10 microseconds, and what members need of each other moves over NVLink
// (plan/rates.hpp has both rates). So to divide a round among members gains if that saves more. The
// asynchronous worklist (runtime/worklist) is for shorter rounds.
//
// [1] Valiant: A bridging model for parallel computation. Communications of the ACM, 1990.
#pragma once

#include "core/containers/at.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/events/event_pool.hpp"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/stream_pool.hpp"
#include "graph/partition/partition.hpp"
#include "runtime/bulk_synchronous/step_times.hpp"
#include "runtime/devices/topology.hpp"

#include <deque>
#include <span>
#include <type_traits>
#include <vector>

namespace warpgraph::runtime {

/// A range of the items of an array that each member has.
struct ItemRange {
  std::int64_t first;
  std::size_t n;
};

/// Returns a function that returns the range of a member's own vertices.
inline auto ranges_of(const PartitionView& parts) {
  return [&parts](int member) { return ItemRange{parts.begin(member), at(parts.size(member))}; };
}

class DeviceTeam {
 public:
  /// Makes a member for each entry of `devices`, which may repeat.
  explicit DeviceTeam(const std::vector<Device>& devices) {
    connect_devices(devices);
    for (const Device device : devices) {
      streams_.emplace_back(device);
      events_.emplace_back(device);
      for (const Device other : devices) {
        if (device != other && !can_access(device, other)) shares_memory_ = false;
      }
    }
    end_step("");
  }
  ~DeviceTeam() { report_steps(); }
  DeviceTeam(const DeviceTeam&) = delete;
  DeviceTeam& operator=(const DeviceTeam&) = delete;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(streams_.size()); }
  [[nodiscard]] const cuda::Stream& stream(int member) const { return *streams_[at(member)]; }
  /// Returns whether kernels of each member can access the DeviceBuffers of all others.
  [[nodiscard]] bool shares_memory() const noexcept { return shares_memory_; }

  /// Lets later work of each member begin after the earlier work of all. Asynchronous.
  void barrier() const {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const cuda::DeviceGuard guard((*streams_[i]).device());
      events_[i]->record((*streams_[i]).get());
    }
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      for (std::size_t j = 0; j < streams_.size(); ++j) {
        if (i != j) (*streams_[i]).wait_for(events_[j]->get());
      }
    }
  }

  /// Calls work(member, stream) for each member, to put work on its stream.
  template <class Work>
  void for_each(const Work& work) const {
    for (int i = 0; i < size(); ++i) work(i, stream(i));
  }
  /// Waits for all members.
  void synchronize() const {
    for (const cuda::BorrowedStream& stream : streams_) (*stream).synchronize();
  }

  /// Copies range_of(member) of array_of(member), for each member, to the same place in the arrays
  /// of all others: all-gather, as in MPI. Asynchronous: a barrier before has ended the work of
  /// others in these ranges, and one after it makes the items visible to all.
  template <class RangeOf, class ArrayOf>
  void all_gather(const RangeOf& range_of, const ArrayOf& array_of) const {
    for_each([&](int member, const cuda::Stream& stream) {
      const ItemRange range = range_of(member);
      for (int other = 0; other < size(); ++other) {
        if (other == member) continue;
        cuda::copy(array_of(other) + range.first, array_of(member) + range.first, range.n, stream);
      }
    });
  }

  /// Ends a step: the work on the streams since the step before, or since the team was made. It
  /// gets this name, if StepTimes are recorded.
  void end_step(const char* name) {
    if (!StepTimes::of_this_thread().are_recorded()) return;
    Step step{name, {}};
    for (const cuda::BorrowedStream& stream : streams_) {
      step.ends.emplace_back((*stream).device());
      step.ends.back().record((*stream).get());
    }
    steps_.push_back(std::move(step));
  }

 private:
  struct Step {
    const char* name;
    std::vector<cuda::Event> ends;  // ends on each member
  };

  void report_steps() noexcept {
    for (std::size_t k = 1; k < steps_.size(); ++k) {
      for (std::size_t i = 0; i < streams_.size(); ++i) {
        float milliseconds = 0;
        cudaEventSynchronize(steps_[k].ends[i].get());
        cudaEventElapsedTime(&milliseconds, steps_[k - 1].ends[i].get(), steps_[k].ends[i].get());
        try {
          StepTimes::of_this_thread().add(
              {steps_[k].name, static_cast<int>(i), static_cast<double>(milliseconds) / 1000});
        } catch (...) {  // out of memory: this time is not reported
        }
      }
    }
  }

  std::deque<cuda::BorrowedStream> streams_;
  std::deque<cuda::BorrowedEvent> events_;
  std::vector<Step> steps_;
  bool shares_memory_ = true;
};

/// Waits for all members in its destructor. Declared after the memory that other members write, it
/// keeps that memory until they have done so.
class TeamWait {
 public:
  explicit TeamWait(const DeviceTeam& team) : team_(team) {}
  TeamWait(const TeamWait&) = delete;
  TeamWait& operator=(const TeamWait&) = delete;
  ~TeamWait() {
    team_.for_each([](int, const cuda::Stream& stream) { stream.finish(); });
  }

 private:
  const DeviceTeam& team_;
};

/// The arrays of members, those of each in one block of memory on its device. `View` refers to the
/// arrays of a member. place(member, allocator) allocates them and returns the view.
template <class View>
class TeamArrays {
 public:
  template <class Place>
  TeamArrays(const DeviceTeam& team, const Place& place) {
    for (int i = 0; i < team.size(); ++i) {
      blocks_.emplace_back(bytes(i, place), team.stream(i));
      cuda::BumpAllocator memory(blocks_.back().data());
      views_.push_back(place(i, memory));
    }
  }

  /// Returns the bytes of the arrays of a member.
  template <class Place>
  [[nodiscard]] static std::size_t bytes(int member, const Place& place) {
    cuda::BumpAllocator sizes;
    place(member, sizes);
    return sizes.bytes();
  }

  [[nodiscard]] View& operator[](int member) { return views_[static_cast<std::size_t>(member)]; }
  [[nodiscard]] const View& operator[](int member) const {
    return views_[static_cast<std::size_t>(member)];
  }
  [[nodiscard]] std::span<View> all() { return views_; }
  [[nodiscard]] std::span<const View> all() const { return views_; }

 private:
  std::vector<cuda::DeviceBuffer<std::byte>> blocks_;
  std::vector<View> views_;
};

/// Returns item_of(member) of each member, a pointer into its memory, as `Result`. Waits for all.
template <class Result, class ItemOf>
std::vector<Result> read_back(const DeviceTeam& team, const ItemOf& item_of) {
  using Item = std::remove_cvref_t<decltype(*item_of(0))>;
  const cuda::PinnedBuffer<Item> items(at(team.size()));
  team.for_each([&](int member, const cuda::Stream& stream) {
    cuda::copy(items.data() + member, item_of(member), 1, stream);
  });
  team.synchronize();
  return {items.data(), items.data() + items.size()};
}

/// Copies range_of(member) of array_of(member) of all members to any memory, where they follow each
/// other in the order of members. All devices copy at the same time. Waits until all is there.
template <class RangeOf, class ArrayOf, class T>
void collect(const DeviceTeam& team, const RangeOf& range_of, const ArrayOf& array_of, T* to) {
  cuda::CopyOut out;
  team.for_each([&](int member, const cuda::Stream& stream) {
    const ItemRange range = range_of(member);
    out.copy(to, array_of(member) + range.first, range.n, stream);
    to += range.n;
  });
  out.finish();
}

}  // namespace warpgraph::runtime
