// Calls of the interfaces of other libraries that are short. To choose a device and a method would
// take a good part of the time of those of SciPy: one thread of the core computes them at once. For
// those of NetworkX, to convert the graph would take longer than NetworkX itself.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpgraph::plan {

struct CallSize {
  std::int64_t n_vertices = 0;
  std::int64_t n_arcs = 0;
  std::int64_t n_sources = 1;
};

/// Returns whether a call of a function of `warpgraph.csgraph` is short, on a host with so many
/// threads.
[[nodiscard]] bool is_short(std::string_view function, const CallSize& size, int n_threads);

/// Returns the fewest entries of NetworkX's dictionaries for which calls of a kind take less time
/// here; `is_converted`: the graph was converted before.
[[nodiscard]] std::int64_t entries_worth(std::string_view kind, bool is_converted);

/// Returns from how many sources a call of NetworkX's functions of all pairs searches at a time.
[[nodiscard]] std::int64_t sources_at_a_time(std::int64_t n_vertices, int n_threads);
/// Returns how many threads are worthwhile to filter so many bytes of values.
[[nodiscard]] std::int64_t threads_to_filter(std::int64_t n_bytes);

}  // namespace warpgraph::plan
