// What the experiments share: the options, runs of contestants, and the lines of JSON that
// bench_runtime.py reads.
#pragma once

#include "core/device.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace warpgraph::benchmark {

using Clock = std::chrono::steady_clock;
using Seconds = std::vector<double>;

[[nodiscard]] inline double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}
[[nodiscard]] inline double seconds_since(Clock::time_point start) {
  return seconds_between(start, Clock::now());
}

struct Options {
  bool smoke = false;      // tiny sizes, for a test of the program
  bool worklists = false;  // instead of links
  int repetitions = 10;    // of each contestant
  std::string only;        // a regular expression: the cases to run
  int n_devices = 0;       // that are used

  [[nodiscard]] std::size_t message(std::size_t bytes) const { return smoke ? bytes >> 14 : bytes; }
  [[nodiscard]] std::size_t packet(std::size_t bytes) const { return smoke ? bytes >> 10 : bytes; }
  [[nodiscard]] std::vector<Device> devices() const;
  /// Returns whether the case of this name is run.
  [[nodiscard]] bool choose(const std::string& name) const;
};

/// Makes n runs, after some to warm up, and returns the seconds of each. Throws if the result of
/// one is wrong.
using Series = std::function<Seconds(int n)>;

struct Contestant {
  std::string name;
  Series series;
};

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

/// A line of the result. The first contestant is compared with the others.
struct Case {
  std::string name;
  std::string where;  // "cuda:0 to cuda:1"
  Sizes size;
  std::vector<Contestant> contestants;
  /// Operations, and how many a second the machine can do at most; 0: unknown.
  double operations = 0;
  double max_a_second = 0;
  /// Further sizes that are only known after the runs.
  std::function<Sizes()> size_afterwards = {};
};

/// Runs a case if the options select it, and prints its line.
void measure(const Options& options, const Case& chosen);

/// n runs of `run`, which returns its seconds, after one to warm up.
[[nodiscard]] Seconds repeated(int n, const std::function<double()>& run);

/// "8 MB packets".
[[nodiscard]] std::string megabytes(std::size_t bytes);

// The experiments, in the order of the article.
void direct_access(const Options& options);
void packets(const Options& options);
void broadcast_to_all(const Options& options);
void latency(const Options& options);
void host_links(const Options& options);
void unlike_endpoints(const Options& options);
void worklists(const Options& options);

}  // namespace warpgraph::benchmark
