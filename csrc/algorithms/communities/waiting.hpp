// The vertices of a level that wait to be looked at, in an order that can be divided into batches.
#pragma once

#include "algorithms/communities/level.hpp"
#include "core/atomics.hpp"
#include "core/interrupt.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace warpgraph::communities {

/// Flags of vertices, and a list of those whose flag is set. The list is ordered by a random group
/// of each vertex, which depends on the seed alone, and in each group by the vertices.
class WaitingVertices {
 public:
  static constexpr std::size_t n_groups = 256;

  /// All vertices wait at first.
  WaitingVertices(const CsrPattern& graph, std::uint64_t seed)
      : graph_(graph),
        n_(graph.n_vertices),
        flags_((at(n_) + word - 1) / word * word),
        groups_(at(n_)),
        list_(at(n_)),
        blocks_((at(n_) + at(block_size) - 1) / at(block_size)) {
    const CounterRandom random(seed, static_cast<std::uint64_t>(n_));
    parallel_for(n_, [&](std::int64_t v) {
      flags_[at(v)] = 1;
      groups_[at(v)] =
          static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(v), n_groups));
    });
    std::fill(flags_.begin() + n_, flags_.end(), 0);
  }

  /// Lets v wait. Several threads may call it at a time.
  void add(vertex_t v) {
    // Read first, since a store would take the cache line from threads that read it.
    char& flag = flags_[at(v)];
    if (relaxed_load(flag) == 0) relaxed_store(flag, char{1});
  }
  void remove(vertex_t v) { flags_[at(v)] = 0; }

  /// Lists the vertices that wait. Returns their number.
  std::int64_t collect() {
    parallel_for(
        std::ssize(blocks_), [&](std::int64_t b) { count(b); }, 1);
    work_ = 0;
    // The counts of each block become the places from which on it writes.
    std::int64_t place = 0;
    for (std::size_t group = 0; group < n_groups; ++group) {
      starts_[group] = place;
      for (Block& block : blocks_) place += std::exchange(block.places[group], place);
    }
    starts_[n_groups] = place;
    for (const Block& block : blocks_) work_ += block.work;
    parallel_for(
        std::ssize(blocks_), [&](std::int64_t b) { write(b); }, 1);
    return place;
  }

  /// Returns the number of the listed vertices plus that of their arcs.
  [[nodiscard]] std::int64_t work() const { return work_; }
  [[nodiscard]] std::int64_t size() const { return starts_[n_groups]; }
  [[nodiscard]] vertex_t operator[](std::int64_t i) const { return list_[at(i)]; }
  /// Returns whether u stands before v in a list that has both. The order is random: in that of the
  /// numbers of vertices, only the first of a path's vertices might move at a time.
  [[nodiscard]] bool precedes(vertex_t u, vertex_t v) const {
    return groups_[at(u)] != groups_[at(v)] ? groups_[at(u)] < groups_[at(v)] : u < v;
  }
  /// Returns where the list has the first vertex of a group; `n_groups` is the end.
  [[nodiscard]] std::int64_t start(std::size_t group) const { return starts_[group]; }

 private:
  static constexpr std::int64_t block_size = 1 << 14;
  static constexpr std::size_t word = sizeof(std::uint64_t);

  struct Block {
    std::array<std::int64_t, n_groups> places{};  // at first the number of vertices of each group
    std::int64_t work = 0;
  };

  void count(std::int64_t b) {
    Block& block = blocks_[at(b)];
    block = {};
    for_each_of(b, [&](vertex_t v) {
      ++block.places[groups_[at(v)]];
      block.work += 1 + graph_.degree(v);
    });
  }

  void write(std::int64_t b) {
    auto places = blocks_[at(b)].places;
    for_each_of(b, [&](vertex_t v) { list_[at(places[groups_[at(v)]]++)] = v; });
  }

  /// Calls visit(v) for the vertices of a block whose flag is set.
  template <class Visit>
  void for_each_of(std::int64_t block, Visit&& visit) const {
    const std::size_t last = std::min(at((block + 1) * block_size), flags_.size());
    for (std::size_t first = at(block * block_size); first < last; first += word) {
      std::uint64_t flags = 0;
      std::memcpy(&flags, flags_.data() + first, word);
      if (flags == 0) continue;
      for (std::size_t v = first; v < first + word; ++v) {
        if (flags_[v] != 0) visit(static_cast<vertex_t>(v));
      }
    }
  }

  const CsrPattern& graph_;
  const vertex_t n_;
  HostVector<char> flags_;  // whole words
  HostVector<std::uint8_t> groups_;
  HostVector<vertex_t> list_;
  std::vector<Block> blocks_;
  std::array<std::int64_t, n_groups + 1> starts_{};
  std::int64_t work_ = 0;
};

}  // namespace warpgraph::communities
