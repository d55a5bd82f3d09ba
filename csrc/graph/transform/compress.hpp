// Compressed adjacency lists: little more than a byte per arc if adjacent vertices have close
// numbers (reorder.hpp). This is frame-of-reference coding with patching [1]. A row has a base and
// each arc a code: head = base + code. The low 8 bits of the code are in the array `low`. The bits
// above them, 0 to 8 bits that select a block of 256 vertices, are in the array `blocks`. Both are
// indexed by the arc's position. With 2 block bits, a row that spans fewer than 1024 vertices takes
// 1.25 bytes per arc and 4 bytes for its base.
//
// Other rows are irregular, of two kinds. Patched: all but a few arcs fit, and the largest codes
// are indices into a list of the heads that do not (exceptions). Wide: the base is 0, the code is
// the low bits of the head, and the array `upper` has the upper bits, in as many bytes as
// n_vertices needs. In both cases a head is decoded without reading other arcs, so an arc is
// identified by its position, on host and device, and weights stay where they are.
//
// [1] Zukowski, Heman, Nes, Boncz: Super-scalar RAM-CPU cache compression. ICDE 2006.
#pragma once

#include "core/memory/memory_budget.hpp"
#include "graph/csr.hpp"

#include <iterator>

namespace warpgraph {

/// A row whose heads are not all representable with one base.
struct IrregularRow {
  static constexpr std::int32_t wide = -1;
  std::int64_t start;  // start of its heads in `exceptions`, or of its bytes in `upper`
  vertex_t base;
  std::int32_t n_exceptions;  // or `wide`
};

/// The arcs of one row; heads are indexed by their positions in the graph.
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

  /// Iterator over the heads of a row in the order of their positions.
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
  Offsets offsets;  // the offsets of the graph
  int block_bits = 0;
  int upper_bytes = 0;
  const vertex_t* bases = nullptr;  // a negative one is ~ index of the irregular row
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

/// Owner of the arrays, on host or device. Offsets and weights stay in the graph.
template <template <class> class Array>
struct CompressedArrays {
  int block_bits = 0;
  int upper_bytes = 0;
  Array<vertex_t> bases;
  Array<std::uint8_t> low;
  Array<std::uint8_t> blocks;
  Array<IrregularRow> irregular;
  Array<vertex_t> exceptions;
  Array<std::uint8_t> upper;

  /// Returns the view. `graph` must be the one that was compressed, with offsets where the arrays
  /// are; its heads are not read.
  [[nodiscard]] CompressedView view(const CsrPattern& graph) const noexcept {
    return {graph.n_vertices, graph.n_arcs,      graph.offsets, block_bits,
            upper_bytes,      bases.data(),      low.data(),    blocks.data(),
            irregular.data(), exceptions.data(), upper.data()};
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return (bases.size() + exceptions.size()) * sizeof(vertex_t) + low.size() + blocks.size() +
           irregular.size() * sizeof(IrregularRow) + upper.size();
  }
};

struct CompressedAdjacency : CompressedArrays<HostVector> {
  [[nodiscard]] std::int64_t n_wide_rows() const noexcept;
  /// Returns the number of irregular rows that are not wide.
  [[nodiscard]] std::int64_t n_patched_rows() const noexcept {
    return static_cast<std::int64_t>(irregular.size()) - n_wide_rows();
  }
};

/// Compresses a graph. block_bits is 0, 1, 2, 4 or 8; if negative, the one that makes the result
/// smallest is chosen.
CompressedAdjacency compress(const CsrPattern& graph, int block_bits = -1,
                             MemoryBudget budget = {});

/// Writes the heads of all arcs. `heads` must have n_arcs items.
void decompress(const CompressedView& graph, std::span<vertex_t> heads);

}  // namespace warpgraph
