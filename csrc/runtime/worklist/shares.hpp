// Shares of the endpoints of one call: threads of the host, memory, and the progress that the
// caller sees.
#pragma once

#include "core/device.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "runtime/waiting.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace warpgraph::runtime {

/// Returns an equal share of `all`, at least 1, for each of the endpoints on a device.
template <class T>
T share_of(const std::vector<Device>& devices, Device device, T all) {
  const auto sharing = std::count(devices.begin(), devices.end(), device);
  return std::max<T>(1, all / static_cast<T>(std::max<std::ptrdiff_t>(sharing, 1)));
}

/// Returns the share of an endpoint in a budget that is for the whole device. Without a limit, only
/// endpoints that share a GPU get limits: algorithms there use all free memory.
inline MemoryBudget share_of_budget(const std::vector<Device>& devices, Device device,
                                    MemoryBudget budget) {
  const bool is_shared = std::count(devices.begin(), devices.end(), device) > 1;
  if (!budget.is_limited() && !(is_shared && device.is_cuda())) return budget;
  const std::size_t all = budget.is_limited() ? budget.left() : free_memory(device);
  return MemoryBudget(budget.device(), share_of(devices, device, all));
}

/// Sum of the progress of endpoints. Each counts its own; the host reports the sum.
class SharedProgress {
 public:
  SharedProgress(std::size_t n_endpoints, std::int64_t total) : total_(total) {
    for (std::size_t i = 0; i < n_endpoints; ++i) done_.emplace_back(0);
  }

  /// Calls work() as `size` units of the total: the progress that it reports is a part of them.
  template <class Work>
  void count(std::size_t endpoint, std::int64_t size, Work&& work) {
    PartHooks hooks(done_[endpoint], size);
    const ScopedHooks installed(hooks);
    work();
    hooks.progress(1, 1);
  }

  /// Reports, on the host's thread of a run, until all is done.
  void report_until_done() const {
    std::uint64_t polls = 0;
    for (std::int64_t done = 0; done < total_; pause_between_polls(++polls)) {
      done = 0;
      for (const auto& of_endpoint : done_) done += of_endpoint.load(std::memory_order_relaxed);
      report_progress(done, total_);
    }
  }

 private:
  class PartHooks final : public CallHooks {
   public:
    PartHooks(std::atomic<std::int64_t>& done, std::int64_t size)
        : done_(done),
          before_(done.load()),
          size_(size),
          outer_(*warpgraph::detail::current_hooks) {}
    void poll() override { outer_.poll(); }
    void progress(std::int64_t done, std::int64_t total) override {
      const double part = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
      done_.store(before_ + static_cast<std::int64_t>(part * static_cast<double>(size_)));
    }

   private:
    std::atomic<std::int64_t>& done_;
    const std::int64_t before_;
    const std::int64_t size_;
    CallHooks& outer_;  // hooks of an endpoint's thread, which leaves if the run has failed
  };

  const std::int64_t total_;
  std::deque<std::atomic<std::int64_t>> done_;
};

}  // namespace warpgraph::runtime
