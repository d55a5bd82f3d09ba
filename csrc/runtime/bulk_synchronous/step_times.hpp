// What the steps of a team took on each member, for benchmarks.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warpgraph::runtime {

struct StepTime {
  std::string step;
  int member;
  double seconds;
};

/// Of the teams of this thread, the latest last. Off at first.
class StepTimes {
 public:
  [[nodiscard]] static StepTimes& of_this_thread() {
    static thread_local StepTimes times;
    return times;
  }
  [[nodiscard]] bool are_recorded() const noexcept { return are_recorded_; }
  void add(StepTime time) { times_.push_back(std::move(time)); }
  /// Returns those until now, and begins again or ends.
  std::vector<StepTime> take(bool record) {
    are_recorded_ = record;
    return std::exchange(times_, {});
  }

 private:
  bool are_recorded_ = false;
  std::vector<StepTime> times_;
};

}  // namespace warpgraph::runtime
