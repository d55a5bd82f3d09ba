// The rows of a sparse result of unknown size, which threads find in any order. Private to this
// folder.
#pragma once

#include "algorithms/within/within.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace warpgraph::within_detail {

/// Counts the entries and bytes of all threads, and checks them against the memory.
class ResultMeter {
 public:
  /// `taken`: bytes that the searches take.
  ResultMeter(MemoryBudget budget, std::size_t taken, std::int64_t n_rows,
              std::size_t bytes_per_entry)
      : budget_(budget), taken_(taken), n_rows_(n_rows), bytes_per_entry_(bytes_per_entry) {}

  /// Throws OutOfMemory unless there is memory for `bytes` more. If there is a limit, it must hold
  /// the blocks and the result, which are both allocated at the end. Without one, only the new
  /// bytes must be free: the result later takes the memory of blocks, which are freed once copied.
  void add_block(std::size_t bytes) {
    held_ += bytes;
    require_limit();
    require(MemoryBudget(), bytes);
  }
  /// Counts rows, once they are found.
  void add_rows(std::int64_t n_rows, std::int64_t n_entries) {
    n_entries_ += n_entries;
    n_rows_found_ += n_rows;
  }
  /// Throws OutOfMemory if the limit does not hold the result beside the blocks.
  void require_limit() const {
    if (!budget_.is_limited()) return;
    const std::size_t result =
        at(n_entries_.load()) * bytes_per_entry_ + at(n_rows_ + 1) * sizeof(edge_t);
    const std::size_t needed = taken_ + held_ + result;
    if (needed > budget_.left()) require(budget_, needed);
  }

 private:
  void require(MemoryBudget budget, std::size_t bytes) const {
    if (budget.has(bytes)) return;
    budget.require(concat("holding the ", n_entries_.load(), " distances found so far, from ",
                          n_rows_found_.load(), " of ", n_rows_, " sources,"),
                   bytes, "lower the limit, or give fewer sources at a time");
  }

  const MemoryBudget budget_;
  const std::size_t taken_;
  const std::int64_t n_rows_;
  const std::size_t bytes_per_entry_;
  std::atomic<std::size_t> held_{0};
  std::atomic<std::int64_t> n_entries_{0};
  std::atomic<std::int64_t> n_rows_found_{0};
};

/// Rows that threads find: each keeps its own in blocks.
template <class W>
class FoundRows {
 public:
  static constexpr std::size_t bytes_per_entry = sizeof(vertex_t) + sizeof(W);
  static constexpr std::int64_t first_block = 1 << 10;  // entries
  /// Bytes for each row beside its entries.
  static constexpr std::size_t bytes_per_row = 2 * sizeof(std::int64_t);

  FoundRows(std::int64_t n_rows, int threads, ResultMeter& meter)
      : meter_(meter), rows_(n_rows), blocks_(at(threads)) {
    counts_.resize(at(n_rows) + 1);
  }

  /// The place for the entries of a row.
  struct Row {
    vertex_t* vertices;
    W* distances;
  };

  /// Returns the place for the n_entries entries of row i, in a block of the thread.
  Row add(int thread, std::int64_t i, std::int64_t n_entries) {
    auto& own = blocks_[at(thread)];
    if (own.empty() || own.back().capacity - own.back().size < n_entries) {
      const std::int64_t twice = own.empty() ? first_block : 2 * own.back().capacity;
      const std::int64_t capacity = std::max(n_entries, std::min(twice, largest_block));
      meter_.add_block(at(capacity) * bytes_per_entry);
      own.push_back(Block{capacity, HostArray<vertex_t>(capacity), HostArray<W>(capacity)});
    }
    Block& block = own.back();
    const std::int64_t begin = std::exchange(block.size, block.size + n_entries);
    rows_[i] = {std::exchange(block.last_row, i), begin};
    counts_[at(i)] = n_entries;
    meter_.add_rows(1, n_entries);
    return {block.vertices.get() + begin, block.distances.get() + begin};
  }

  /// Returns the rows in order, and frees the blocks.
  DistanceLists<W> concatenate() {
    meter_.require_limit();
    DistanceLists<W> all;
    const auto n_rows = static_cast<std::int64_t>(counts_.size()) - 1;
    counts_.back() = 0;
    const edge_t n_entries = exclusive_scan_in_place(counts_.data(), n_rows + 1);
    all.offsets = std::move(counts_);
    all.vertices.resize(at(n_entries));
    all.distances.resize(at(n_entries));
    std::vector<Block*> blocks;
    for (auto& own : blocks_) {
      for (Block& block : own) blocks.push_back(&block);
    }
    parallel_for(
        static_cast<std::int64_t>(blocks.size()),
        [&](std::int64_t b) { copy(*blocks[at(b)], all); }, 1);
    return all;
  }

 private:
  static constexpr std::int64_t largest_block = 1 << 21;  // has large pages; little stays unused
  static constexpr std::int64_t no_row = -1;

  /// Rows that follow each other in memory. They are linked, from the last to the first.
  struct Block {
    std::int64_t capacity;
    HostArray<vertex_t> vertices;
    HostArray<W> distances;
    std::int64_t size = 0;
    std::int64_t last_row = no_row;
  };
  struct Place {
    std::int64_t row_before;  // in the same block
    std::int64_t begin;
  };

  /// Copies the rows of a block to the result, and frees the block.
  void copy(Block& block, DistanceLists<W>& all) {
    for (std::int64_t i = block.last_row; i != no_row; i = rows_[i].row_before) {
      const std::int64_t begin = rows_[i].begin;
      const edge_t to = all.offsets[at(i)];
      const edge_t size = all.offsets[at(i) + 1] - to;
      std::copy_n(block.vertices.get() + begin, size, all.vertices.begin() + to);
      std::copy_n(block.distances.get() + begin, size, all.distances.begin() + to);
    }
    block = Block{};
  }

  ResultMeter& meter_;
  HostArray<Place> rows_;
  HostVector<edge_t> counts_;
  std::vector<std::vector<Block>> blocks_;  // of each thread
};

}  // namespace warpgraph::within_detail
