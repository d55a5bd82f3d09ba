// Times of the steps of a team on each member, for benchmarks.
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

/// Record of the steps of this thread's teams, in the order in which they ended. Off at first.
class StepTimes {
 public:
  [[nodiscard]] static StepTimes& of_this_thread() {
    static thread_local StepTimes times;
    return times;
  }
  [[nodiscard]] bool are_recorded() const noexcept { return are_recorded_; }
  void add(StepTime time) { times_.push_back(std::move(time)); }
  /// Returns the times until now, clears them, and records later ones or not.
  std::vector<StepTime> take(bool record) {
    are_recorded_ = record;
    return std::exchange(times_, {});
  }

 private:
  bool are_recorded_ = false;
  std::vector<StepTime> times_;
};

}  // namespace warpgraph::runtime
