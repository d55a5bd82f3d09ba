// Calls of many equal pieces, as searches from many sources. Where such a call is long, its first
// pieces tell which way is the fastest, or the cores and a GPU take pieces together: the result has
// the same bits by every way.
#pragma once

#include "plan/methods/methods.hpp"

#include <span>
#include <vector>

namespace warpgraph::plan {

/// Returns the two ways that share the sources of a call, of which the case has the devices of the
/// fastest: the same devices by two methods, which are measured in turn, or the cores and a GPU at
/// the same time. Nothing where one way is known to be the fastest, or the call is short.
[[nodiscard]] std::vector<Way> ways_of_sources(std::span<const Method* const> methods,
                                               const Case& run, const Devices& devices);

/// Returns the seconds of a call that the ways share: at the same time, or one after the other.
[[nodiscard]] double seconds_of_ways(std::span<const Way> ways, std::int64_t n_pieces);

/// Returns whether the ways have different devices, which work at the same time.
[[nodiscard]] bool work_together(std::span<const Way> ways);

}  // namespace warpgraph::plan
