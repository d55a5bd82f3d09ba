#include "graph/checks/checks.hpp"

#include "core/containers/at.hpp"
#include "core/processor/function_clones.hpp"
#include "core/threads/parallel.hpp"
#include "core/threads/small_work.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace warpgraph {
namespace {

/// Time that one core takes to check an item.
constexpr double ns_per_item = 0.25;
/// Number of items of a block, which take about 8 microseconds.
constexpr std::int64_t items_per_grain = 1 << 15;

/// Returns an integer that is negative if and only if a head is no vertex: the sign of a head, or
/// of its distance from the last vertex, tells. That takes fewer vector instructions than
/// comparisons.
WARPGRAPH_FOR_THIS_CPU std::int32_t signs_of(const vertex_t* heads, std::size_t n,
                                             std::uint32_t last) noexcept {
  std::uint32_t signs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<std::uint32_t>(heads[i]);
    signs |= bits | (last - bits);
  }
  return static_cast<std::int32_t>(signs);
}

/// Writes heads as 32 bits, and returns their signs_of().
WARPGRAPH_FOR_THIS_CPU std::int64_t narrowed_signs_of(const std::int64_t* heads, std::size_t n,
                                                      std::uint64_t last, vertex_t* to) noexcept {
  std::uint64_t signs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<std::uint64_t>(heads[i]);
    to[i] = static_cast<vertex_t>(bits);
    signs |= bits | (last - bits);
  }
  return static_cast<std::int64_t>(signs);
}

/// Returns an integer that is negative if and only if a weight is NaN, negative or, of an integer
/// type, the largest integer, which means that there is no arc. NaN fails ">= 0", so one comparison
/// finds both; the largest integer plus 1, as an unsigned number, has the sign of a negative one.
template <class W, class Integer>
[[gnu::always_inline]] inline Integer signs_of_weights(const W* weights, std::size_t n) noexcept {
  using Unsigned = std::make_unsigned_t<Integer>;
  Integer signs = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_floating_point_v<W>) {
      signs |= weights[i] >= W{0} ? Integer{0} : Integer{-1};
    } else {
      const auto bits = static_cast<Unsigned>(weights[i]);
      signs |= static_cast<Integer>(bits | (bits + 1));
    }
  }
  return signs;
}

#define WARPGRAPH_DEFINE_SIGNS(W, Integer)                                            \
  WARPGRAPH_FOR_THIS_CPU Integer signs_of(const W* weights, std::size_t n) noexcept { \
    return signs_of_weights<W, Integer>(weights, n);                                  \
  }
WARPGRAPH_DEFINE_SIGNS(float, std::int32_t)
WARPGRAPH_DEFINE_SIGNS(double, std::int64_t)
WARPGRAPH_DEFINE_SIGNS(std::int32_t, std::int32_t)
WARPGRAPH_DEFINE_SIGNS(std::int64_t, std::int64_t)
#undef WARPGRAPH_DEFINE_SIGNS

}  // namespace

void HeadsCheck::look_at(std::span<const vertex_t> heads) noexcept {
  const auto last = static_cast<std::uint32_t>(n_vertices_ - 1);
  if (signs_of(heads.data(), heads.size(), last) < 0) {
    found_other_.store(true, std::memory_order_relaxed);
  }
}

void HeadsCheck::narrow(std::span<const std::int64_t> heads, vertex_t* to) noexcept {
  const auto last = static_cast<std::uint64_t>(std::int64_t{n_vertices_} - 1);
  if (narrowed_signs_of(heads.data(), heads.size(), last, to) < 0) {
    found_other_.store(true, std::memory_order_relaxed);
  }
}

template <class W>
void WeightsCheck<W>::look_at(std::span<const W> weights) noexcept {
  if (signs_of(weights.data(), weights.size()) < 0) {
    found_other_.store(true, std::memory_order_relaxed);
  }
  n_seen_.fetch_add(weights.size(), std::memory_order_relaxed);
}

template <class W>
bool WeightParts<W>::look_at_next() noexcept {
  constexpr auto items_per_part = static_cast<std::size_t>(items_per_grain);
  const std::size_t first = next_.fetch_add(items_per_part, std::memory_order_relaxed);
  if (first >= weights_.size()) return false;
  check_.look_at(weights_.subspan(first, std::min(items_per_part, weights_.size() - first)));
  return true;
}

namespace {

template <class Check, class Item>
void look_by_threads(Check& check, std::span<const Item> items) {
  const auto n = static_cast<std::int64_t>(items.size());
  const CallThreads threads = threads_for(ns_per_item * static_cast<double>(n));
  parallel_blocks(n, items_per_grain, [&](int, std::int64_t first, std::int64_t last) {
    check.look_at(items.subspan(at(first), at(last - first)));
  });
}

}  // namespace

void look_at_all(HeadsCheck& check, std::span<const vertex_t> heads) {
  look_by_threads(check, heads);
}

template <class W>
void look_at_all(WeightsCheck<W>& check, std::span<const W> weights) {
  look_by_threads(check, weights);
}

#define WARPGRAPH_INSTANTIATE(W)  \
  template class WeightsCheck<W>; \
  template class WeightParts<W>;  \
  template void look_at_all(WeightsCheck<W>&, std::span<const W>);
WARPGRAPH_FOR_EACH_WEIGHT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph
