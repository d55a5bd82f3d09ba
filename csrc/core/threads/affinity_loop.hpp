// A parallel loop whose threads keep to their part of the data.
#pragma once

#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgraph {

/// Calls body(thread, first, last) for disjoint blocks that cover 0 .. n - 1, by affinity
/// scheduling (Markatos and LeBlanc, 1994): thread t takes the blocks of the t-th of equal parts,
/// and then blocks that are left of other parts. For loops that follow each other, where the cache
/// of a thread holds the data that the next loop needs for the same part.
template <class Body>
void parallel_blocks_with_affinity(std::int64_t n, std::int64_t grain, Body&& body) {
  struct alignas(64) Part {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
  };
  std::vector<Part> parts(static_cast<std::size_t>(threads_of_loop()));
  const auto n_parts = std::ssize(parts);
  const auto part = [&](std::int64_t p) -> Part& { return parts[static_cast<std::size_t>(p)]; };
  for (std::int64_t p = 0; p < n_parts; ++p) {
    part(p).next.store(n * p / n_parts, std::memory_order_relaxed);
    part(p).end = n * (p + 1) / n_parts;
  }
  // An iteration is one thread's part and the blocks that it takes of others, so all are done early
  // if a thread is late.
  parallel_blocks(n_parts, 1, [&](int thread, std::int64_t, std::int64_t) {
    for (std::int64_t turn = 0; turn < n_parts; ++turn) {
      Part& own = part((thread + turn) % n_parts);
      while (own.next.load(std::memory_order_relaxed) < own.end) {
        poll();
        const std::int64_t first = own.next.fetch_add(grain, std::memory_order_relaxed);
        if (first < own.end) body(thread, first, std::min(first + grain, own.end));
      }
    }
  });
}

}  // namespace warpgraph
