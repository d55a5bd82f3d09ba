// A kernel with grid barriers on each member of a team.
#pragma once

#include "core/cuda/launch.cuh"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace warpgraph::runtime {

template <class View, class... Rest>
class TeamKernel {
 public:
  /// Prepares a launch with as many blocks on each member as its device runs concurrently, but no
  /// more than `max_blocks`.
  TeamKernel(const DeviceTeam& team, void (*kernel)(View, Rest...), unsigned threads,
             std::int64_t max_blocks = std::numeric_limits<std::int64_t>::max())
      : team_(team), kernel_(kernel), threads_(threads) {
    for (int i = 0; i < team.size(); ++i) {
      const std::int64_t resident = cuda::resident_blocks(team.stream(i), kernel, threads, 0);
      blocks_.push_back(std::min(resident, max_blocks));
    }
  }

  /// Launches the kernel on each member. Asynchronous.
  void launch(std::span<const View> views, Rest... rest) const {
    for (std::size_t i = 0; i < views.size(); ++i) {
      cuda::launch_cooperative(team_.stream(static_cast<int>(i)), blocks_[i], threads_, 0, kernel_,
                               views[i], rest...);
    }
  }

 private:
  const DeviceTeam& team_;
  void (*kernel_)(View, Rest...);
  unsigned threads_;
  std::vector<std::int64_t> blocks_;
};

}  // namespace warpgraph::runtime
