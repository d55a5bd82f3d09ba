#include "graph/weights/convert_weights.hpp"

#include "core/containers/at.hpp"
#include "core/threads/parallel.hpp"
#include "core/threads/small_work.hpp"

#include <atomic>

namespace warpgraph {
namespace {

/// Time that one core takes for a weight, and the number of weights of a block.
constexpr double ns_per_weight = 1;
constexpr std::int64_t weights_per_grain = 1 << 15;

template <class To, class From>
Misfits find_misfits(std::span<const From> weights, WeightsAs as) {
  Misfits found;
  for (std::size_t i = 0; i < weights.size() && found.beyond < 0; ++i) {
    To converted;
    const Fit fit = convert_weight(weights[i], as, converted);
    if (fit == Fit::beyond) found.beyond = static_cast<edge_t>(i);
    if (fit == Fit::fraction && found.fraction < 0) found.fraction = static_cast<edge_t>(i);
  }
  return found;
}

}  // namespace

template <class To, class From>
Misfits convert_weights(std::span<const From> weights, WeightsAs as, std::span<To> to) {
  const auto n = static_cast<std::int64_t>(weights.size());
  const CallThreads threads = threads_for(ns_per_weight * static_cast<double>(n));
  std::atomic<bool> is_found{false};
  parallel_blocks(n, weights_per_grain, [&](int, std::int64_t first, std::int64_t last) {
    bool misfits = false;
    for (std::int64_t i = first; i < last; ++i) {
      misfits |= convert_weight(weights[at(i)], as, to[at(i)]) != Fit::yes;
    }
    if (misfits) is_found.store(true, std::memory_order_relaxed);
  });
  return is_found.load() ? find_misfits<To>(weights, as) : Misfits{};
}

#define WARPGRAPH_INSTANTIATE_FROM(From)                                                       \
  template Misfits convert_weights(std::span<const From>, WeightsAs, std::span<float>);        \
  template Misfits convert_weights(std::span<const From>, WeightsAs, std::span<double>);       \
  template Misfits convert_weights(std::span<const From>, WeightsAs, std::span<std::int32_t>); \
  template Misfits convert_weights(std::span<const From>, WeightsAs, std::span<std::int64_t>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE_FROM)
#undef WARPGRAPH_INSTANTIATE_FROM

}  // namespace warpgraph
