// Adjacency in little more than a byte an arc, where vertices that are joined have near numbers
// (reorder.hpp). A row has a base, and of each arc a code: the head is base + code. Of the code,
// the low 8 bits and the block, 0 to 8 bits above them, lie in two arrays by the arc's position;
// with blocks of 2 bits a row that spans less than 1024 vertices takes 1.25 bytes an arc and 4 for
// itself.
//
// Rows that do not fit are of two kinds. Patched: all but a few arcs fit, and the greatest codes
// number those few, whose heads are listed. Wide: base 0, the code is the lowest bits of the head,
// and as many bytes as n_vertices takes, at the row's place in one more array, are the upper ones.
// Either way a head is found without looking at other arcs, so an arc's position says all, on host
// and device, and weights stay where they are.
#pragma once

#include "graph/csr.hpp"

#include <iterator>

namespace warpgraph {

/// A row whose heads do not all lie within reach of one base.
struct IrregularRow {
  static constexpr std::int32_t wide = -1;
  std::int64_t start;  // of its heads in `exceptions`, or of its bytes in `upper`
  vertex_t base;
  std::int32_t n_exceptions;  // or `wide`
};

/// The arcs of one row; heads by their positions in the graph.
class CompressedRow {
 public:
  WARPGRAPH_HOST_DEVICE vertex_t head(edge_t e) const noexcept {
    const std::uint32_t found = code(e);
    if (irregular_ == nullptr) return base_ + static_cast<vertex_t>(found);
    if (irregular_->n_exceptions == IrregularRow::wide) {
      return static_cast<vertex_t>(upper_bits(e) << (8 + block_bits_) | found);
    }
    const std::uint32_t first_exception =
        (1u << (8 + block_bits_)) - static_cast<std::uint32_t>(irregular_->n_exceptions);
    return found < first_exception ? base_ + static_cast<vertex_t>(found)
                                   : exceptions_[irregular_->start + (found - first_exception)];
  }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE edge_t begin_position() const noexcept { return begin_; }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE edge_t end_position() const noexcept { return end_; }

  /// Heads in the order of their positions.
  class Iterator {
   public:
    using difference_type = edge_t;
    using value_type = vertex_t;
    using reference = vertex_t;
    using pointer = void;
    using iterator_category = std::input_iterator_tag;

    Iterator() = default;
    WARPGRAPH_HOST_DEVICE Iterator(const CompressedRow* row, edge_t e) : row_(row), position(e) {}
    WARPGRAPH_HOST_DEVICE vertex_t operator*() const noexcept { return row_->head(position); }
    WARPGRAPH_HOST_DEVICE Iterator& operator++() noexcept {
      ++position;
      return *this;
    }
    WARPGRAPH_HOST_DEVICE Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++position;
      return before;
    }
    WARPGRAPH_HOST_DEVICE friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
      return a.position == b.position;
    }

   private:
    const CompressedRow* row_ = nullptr;

   public:
    edge_t position = 0;
  };
  [[nodiscard]] WARPGRAPH_HOST_DEVICE Iterator begin() const noexcept { return {this, begin_}; }
  [[nodiscard]] WARPGRAPH_HOST_DEVICE Iterator end() const noexcept { return {this, end_}; }

 private:
  friend struct CompressedView;
  CompressedRow() = default;

  WARPGRAPH_HOST_DEVICE std::uint32_t code(edge_t e) const noexcept {
    const std::uint32_t low = low_[e];
    if (block_bits_ == 0) return low;
    const edge_t bit = e * block_bits_;
    const std::uint32_t block =
        (static_cast<std::uint32_t>(blocks_[bit >> 3]) >> (bit & 7)) & ((1u << block_bits_) - 1);
    return block << 8 | low;
  }
  WARPGRAPH_HOST_DEVICE std::uint32_t upper_bits(edge_t e) const noexcept {
    const std::uint8_t* bytes = upper_ + irregular_->start + (e - begin_) * upper_bytes_;
    std::uint32_t bits = 0;
    for (int i = 0; i < upper_bytes_; ++i) bits |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
    return bits;
  }

  edge_t begin_;
  edge_t end_;
  vertex_t base_;
  int block_bits_;
  int upper_bytes_;
  const std::uint8_t* low_;
  const std::uint8_t* blocks_;
  const IrregularRow* irregular_;  // or null
  const vertex_t* exceptions_;
  const std::uint8_t* upper_;
};

struct CompressedView {
  vertex_t n_vertices = 0;
  edge_t n_arcs = 0;
  Offsets offsets;  // the graph's own
  int block_bits = 0;
  int upper_bytes = 0;
  const vertex_t* bases = nullptr;  // negative: ~ the number of the irregular row
  const std::uint8_t* low = nullptr;
  const std::uint8_t* blocks = nullptr;
  const IrregularRow* irregular = nullptr;
  const vertex_t* exceptions = nullptr;
  const std::uint8_t* upper = nullptr;

  [[nodiscard]] WARPGRAPH_HOST_DEVICE CompressedRow row(vertex_t u) const noexcept {
    CompressedRow row;
    row.begin_ = offsets[u];
    row.end_ = offsets[static_cast<std::int64_t>(u) + 1];
    const vertex_t base = bases[u];
    row.irregular_ = base < 0 ? irregular + ~base : nullptr;
    row.base_ = base < 0 ? row.irregular_->base : base;
    row.block_bits_ = block_bits;
    row.upper_bytes_ = upper_bytes;
    row.low_ = low;
    row.blocks_ = blocks;
    row.exceptions_ = exceptions;
    row.upper_ = upper;
    return row;
  }
};

/// Owner on the host; offsets and weights stay with the graph.
struct CompressedAdjacency {
  int block_bits = 0;
  int upper_bytes = 0;
  HostVector<vertex_t> bases;
  HostVector<std::uint8_t> low;
  HostVector<std::uint8_t> blocks;
  HostVector<IrregularRow> irregular;
  HostVector<vertex_t> exceptions;
  HostVector<std::uint8_t> upper;

  /// `graph` is the one that was compressed; its heads are not read.
  [[nodiscard]] CompressedView view(const CsrPattern& graph) const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;
};

/// block_bits: 0, 1, 2, 4 or 8; negative: whichever makes the result smallest. memory_limit: bytes;
/// 0: what is free.
CompressedAdjacency compress(const CsrPattern& graph, int block_bits = -1,
                             std::size_t memory_limit = 0);

/// The heads of all arcs. `heads` has room for them.
void decompress(const CompressedView& graph, std::span<vertex_t> heads);

}  // namespace warpgraph
