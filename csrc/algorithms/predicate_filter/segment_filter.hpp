// What an endpoint of predicate_filter does with the segments that it receives.
#pragma once

#include "algorithms/predicate_filter/passed_values.hpp"
#include "algorithms/predicate_filter/predicate_filter.hpp"
#include "runtime/link.hpp"

namespace warpgraph {

/// Filters all segments of `in`, and sends what passes, with the segment's position as metadata.
/// The values lie in `passed`; nobody changes them.
template <class T>
void filter_segments_cpu(runtime::Link& in, runtime::Link& out, Interval<T> interval,
                         PassedValues<T>& passed);
/// By the current device, in whose memory the values lie until they are delivered.
template <class T>
void filter_segments_cuda(runtime::Link& in, runtime::Link& out, Interval<T> interval,
                          Device device);

}  // namespace warpgraph
