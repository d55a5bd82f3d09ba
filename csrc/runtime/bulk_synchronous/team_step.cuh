// A step of a round: a kernel with grid barriers on each member of a team, and a barrier of the
// team.
#pragma once

#include "core/cuda/launch.cuh"
#include "runtime/bulk_synchronous/device_team.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace warpgraph::runtime {

/// The launches of a kernel that takes the view of a member, and arguments that are equal for all.
template <class View, class... Arguments>
class TeamStep {
 public:
  /// Prepares a launch with as many blocks on each member as its device runs concurrently, but no
  /// more than `max_blocks`.
  TeamStep(const DeviceTeam& team, void (*kernel)(View, Arguments...), unsigned threads,
           std::int64_t max_blocks = std::numeric_limits<std::int64_t>::max())
      : team_(team), kernel_(kernel), threads_(threads) {
    for (int i = 0; i < team.size(); ++i) {
      const std::int64_t resident = cuda::resident_blocks(team.stream(i), kernel, threads, 0);
      blocks_.push_back(std::min(resident, max_blocks));
    }
  }

  /// Launches the kernel on each member, and a barrier. Asynchronous.
  void run(std::span<const View> views, Arguments... arguments) const {
    team_.for_each([&](int i, const cuda::Stream& stream) {
      cuda::launch_cooperative(stream, blocks_[at(i)], threads_, 0, kernel_, views[at(i)],
                               arguments...);
    });
    team_.barrier();
  }

 private:
  const DeviceTeam& team_;
  void (*kernel_)(View, Arguments...);
  unsigned threads_;
  std::vector<std::int64_t> blocks_;
};

}  // namespace warpgraph::runtime
