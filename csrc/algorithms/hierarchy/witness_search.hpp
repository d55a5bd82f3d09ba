// The search for witnesses: paths that make a shortcut unnecessary.
#pragma once

#include "algorithms/hierarchy/adjacency.hpp"

#include <bit>
#include <cstdint>

namespace warpgraph::hierarchy_detail {

/// Dijkstra's algorithm from one vertex with a limit on the edges that it scans. Distances found
/// before the limit are lengths of existing paths. The state is a hash table: it stays in the cache
/// and is cleared in constant time.
template <class W>
class WitnessSearch {
 public:
  struct Found {
    W distance;
    std::int32_t arcs;
  };

  void start(vertex_t source) {
    clear();
    n_targets_ = 0;
    at(source).found = {W{0}, 0};
    heap_.assign(1, {W{0}, source});
  }

  /// Adds a target: the search may end when all of them are settled.
  void add_target(vertex_t v) {
    at(v).is_target = true;
    ++n_targets_;
  }

  /// Returns the best path found; its distance may be infinite.
  [[nodiscard]] Found found(vertex_t v) { return at(v).found; }

  /// Settles vertices nearer than `bound` until `scan_limit` edges have been scanned. Never enters
  /// a vertex with blocked(v).
  template <class Rows, class Blocked>
  void run(W bound, std::int64_t scan_limit, const Rows& rows, const Blocked& blocked) {
    while (scan_limit > 0 && !heap_.empty()) {
      const Item item = pop();
      const Entry from = at(item.vertex);
      if (from.found.distance < item.distance) continue;
      if (!(item.distance < bound)) return;
      if (from.is_target && --n_targets_ == 0) return;
      const auto& row = rows[static_cast<std::size_t>(item.vertex)];
      const auto n_edges = static_cast<std::int32_t>(std::min<std::int64_t>(row.size, scan_limit));
      scan_limit -= n_edges;
      n_scans_ += n_edges;
      for (const auto* edge = row.begin(); edge != row.begin() + n_edges; ++edge) {
        const W through = extend(item.distance, edge->forward());
        if (!(through <= bound) || through == infinity<W>() || blocked(edge->head)) continue;
        Entry& to = at(edge->head);
        if (!(through < to.found.distance)) continue;
        to.found = {through, from.found.arcs + 1};
        push({through, edge->head});
      }
    }
  }

  /// Returns the number of edges scanned by all searches so far.
  [[nodiscard]] std::int64_t n_scans() const noexcept { return n_scans_; }

 private:
  struct Entry {
    std::uint32_t generation = 0;
    vertex_t vertex = no_vertex;
    Found found{};
    bool is_target = false;
  };
  struct Item {
    W distance;
    vertex_t vertex;
  };
  static constexpr std::size_t first_size = 1024;

  void clear() {
    n_entries_ = 0;
    if (++generation_ == 0) {  // after 2^32 searches
      table_.assign(table_.size(), Entry{});
      generation_ = 1;
    }
  }
  [[nodiscard]] std::size_t slot_of(vertex_t v) const {
    // Multiplicative hashing: the high bits of the product.
    std::size_t slot = (static_cast<std::uint32_t>(v) * 0x9e3779b1U) >> shift_;
    while (table_[slot].generation == generation_ && table_[slot].vertex != v) {
      slot = (slot + 1) & (table_.size() - 1);
    }
    return slot;
  }
  /// Returns the entry of a vertex. The reference is valid until the next call.
  Entry& at(vertex_t v) {
    Entry& entry = table_[slot_of(v)];
    if (entry.generation == generation_) return entry;
    if (++n_entries_ * 2 > table_.size()) {
      grow();
      return table_[slot_of(v)] = {generation_, v, {infinity<W>(), 0}, false};
    }
    entry = {generation_, v, {infinity<W>(), 0}, false};
    return entry;
  }
  void grow() {
    std::vector<Entry> old(2 * table_.size());
    old.swap(table_);
    --shift_;
    for (const Entry& entry : old) {
      if (entry.generation == generation_) table_[slot_of(entry.vertex)] = entry;
    }
  }

  static bool is_farther(const Item& a, const Item& b) { return b.distance < a.distance; }
  void push(Item item) {
    heap_.push_back(item);
    std::push_heap(heap_.begin(), heap_.end(), is_farther);
  }
  Item pop() {
    std::pop_heap(heap_.begin(), heap_.end(), is_farther);
    const Item item = heap_.back();
    heap_.pop_back();
    return item;
  }

  std::vector<Entry> table_ = std::vector<Entry>(first_size);
  int shift_ = 32 - std::countr_zero(first_size);
  std::size_t n_entries_ = 0;
  std::uint32_t generation_ = 0;
  std::vector<Item> heap_;
  int n_targets_ = 0;
  std::int64_t n_scans_ = 0;
};

}  // namespace warpgraph::hierarchy_detail
