// What calls for a graph have taken, so that later ones like them take the fastest way.
#pragma once

#include "plan/model/model.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace warpgraph::plan {

/// Lets plans heed and keep what calls take, or not, as for benchmarks of methods.
void set_learning(bool is_on) noexcept;
[[nodiscard]] bool is_learning() noexcept;

/// The seconds of the calls for one graph, by their kinds: calls whose times are about equal. It
/// has room for some kinds; the rest are not remembered. Threads may call it at once.
class Learnt {
 public:
  /// Returns the seconds of the last calls of a kind by a method, without what was made first.
  [[nodiscard]] std::optional<double> seconds(std::uint64_t kind, std::string_view method,
                                              Place place) const;
  /// Adds a call. `preparing` and `running`: as they were expected, to tell both apart.
  void add(std::uint64_t kind, std::string_view method, Place place, double seconds,
           Seconds expected);
  /// Returns whether there was a call before.
  [[nodiscard]] bool is_used() const;
  /// Counts a call that has lost so many seconds because the graph was not on a GPU, and because it
  /// had no hierarchy.
  void begin(double lost, double lost_searching);
  [[nodiscard]] double lost() const;
  [[nodiscard]] double lost_searching() const;

 private:
  struct Entry {
    std::uint64_t kind;
    std::string_view method;  // a constant of the program
    Place place;
    double seconds;
    bool is_estimate;  // a part of the time of a call that has prepared something, too
  };
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  bool is_used_ = false;
  double lost_ = 0;
  double lost_searching_ = 0;
};

/// Returns the seconds that calls of this process have lost because no GPU had begun to work.
[[nodiscard]] double lost_by_waiting() noexcept;
void lose_by_waiting(double seconds) noexcept;

}  // namespace warpgraph::plan
