#include "graph/transform/compress.hpp"

#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/transform/row_blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpgraph {
namespace {

constexpr std::array all_block_bits{0, 1, 2, 4, 8};

/// Degree of the longest rows that are searched for a patched encoding: longer ones rarely have few
/// exceptions.
constexpr edge_t max_patched_degree = 1024;

std::size_t slot(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Sizes that follow from a code width.
struct Format {
  Format(int bits, vertex_t n_vertices)
      : block_bits(bits),
        n_codes(std::int64_t{1} << (8 + bits)),
        upper_bytes(
            (std::bit_width(static_cast<std::uint32_t>(std::max(n_vertices, 1) - 1) >> (8 + bits)) +
             7) /
            8) {}
  int block_bits;
  std::int64_t n_codes;
  int upper_bytes;
};

/// The encoding of one row.
struct RowPlan {
  enum class Kind : std::uint8_t { regular, patched, wide };
  Kind kind;
  vertex_t base;
  std::int32_t n_exceptions;

  [[nodiscard]] std::int64_t bytes(const Format& format, edge_t degree) const {
    switch (kind) {
      case Kind::regular:
        return 0;
      case Kind::patched:
        return static_cast<std::int64_t>(sizeof(IrregularRow)) +
               n_exceptions * static_cast<std::int64_t>(sizeof(vertex_t));
      case Kind::wide:
        return static_cast<std::int64_t>(sizeof(IrregularRow)) + degree * format.upper_bytes;
    }
    __builtin_unreachable();
  }
};

/// Chooses the smallest encoding of the loaded row for any format.
class RowPlanner {
 public:
  explicit RowPlanner(const CsrPattern& graph) : graph_(graph) {}

  void load_row(vertex_t u) {
    const vertex_t* first = graph_.heads + graph_.begin(u);
    degree_ = graph_.degree(u);
    sorted_.clear();
    if (degree_ == 0) {
      min_ = max_ = 0;
      return;
    }
    const auto [low, high] = std::minmax_element(first, first + degree_);
    min_ = *low;
    max_ = *high;
    first_ = first;
  }

  [[nodiscard]] RowPlan plan(const Format& format) {
    if (std::int64_t{max_} - min_ < format.n_codes) {
      return {RowPlan::Kind::regular, min_, 0};
    }
    const RowPlan wide{RowPlan::Kind::wide, 0, IrregularRow::wide};
    if (degree_ > max_patched_degree) return wide;
    const RowPlan patched = patch(format);
    return patched.bytes(format, degree_) < wide.bytes(format, degree_) ? patched : wide;
  }

 private:
  /// Returns the patched encoding whose base has the fewest exceptions.
  [[nodiscard]] RowPlan patch(const Format& format) {
    if (sorted_.empty()) {
      sorted_.assign(first_, first_ + degree_);
      if (!std::is_sorted(sorted_.begin(), sorted_.end())) {
        std::sort(sorted_.begin(), sorted_.end());
      }
    }
    // Initially no head fits; then there would be as many exceptions as arcs.
    RowPlan best{RowPlan::Kind::patched, 0, static_cast<std::int32_t>(degree_)};
    std::size_t first = 0;
    for (std::size_t last = 0; last < sorted_.size(); ++last) {
      const auto exceptions_if = [&](std::size_t start) {
        return degree_ - static_cast<edge_t>(last - start + 1);
      };
      const auto fits = [&](std::size_t start) {
        return std::int64_t{sorted_[last]} - sorted_[start] + exceptions_if(start) < format.n_codes;
      };
      while (first < last && !fits(first)) ++first;
      if (fits(first) && exceptions_if(first) < best.n_exceptions) {
        best.base = sorted_[first];
        best.n_exceptions = static_cast<std::int32_t>(exceptions_if(first));
      }
    }
    // Codes number the exceptions, so there may not be more exceptions than codes.
    if (best.n_exceptions >= format.n_codes) return {RowPlan::Kind::wide, 0, IrregularRow::wide};
    return best;
  }

  const CsrPattern& graph_;
  const vertex_t* first_ = nullptr;
  edge_t degree_ = 0;
  vertex_t min_ = 0;
  vertex_t max_ = 0;
  std::vector<vertex_t> sorted_;  // the row's heads; filled when first needed
};

/// Bytes for each item of all_block_bits.
using Sizes = std::array<std::int64_t, all_block_bits.size()>;

int smallest_block_bits(const CsrPattern& graph, const RowBlocks& blocks) {
  std::vector<Sizes> block_sizes(slot(blocks.size()));
  blocks.for_each([&](std::int64_t block, vertex_t first, vertex_t last) {
    Sizes sizes{};
    RowPlanner planner(graph);
    for (vertex_t u = first; u < last; ++u) {
      planner.load_row(u);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Format format(all_block_bits[i], graph.n_vertices);
        sizes[i] += planner.plan(format).bytes(format, graph.degree(u));
      }
    }
    block_sizes[slot(block)] = sizes;
  });
  Sizes total{};
  for (std::size_t i = 0; i < total.size(); ++i) {
    for (const Sizes& sizes : block_sizes) total[i] += sizes[i];
    total[i] += graph.n_arcs / 8 * all_block_bits[i];
  }
  return all_block_bits[slot(std::min_element(total.begin(), total.end()) - total.begin())];
}

/// Space that rows take in the arrays of irregular rows.
struct IrregularUsage {
  std::int64_t rows = 0;
  std::int64_t exceptions = 0;
  std::int64_t upper = 0;
  IrregularUsage& operator+=(IrregularUsage other) {
    rows += other.rows;
    exceptions += other.exceptions;
    upper += other.upper;
    return *this;
  }
  [[nodiscard]] static IrregularUsage of(const RowPlan& plan, const Format& format, edge_t degree) {
    if (plan.kind == RowPlan::Kind::regular) return {};
    if (plan.kind == RowPlan::Kind::patched) return {1, plan.n_exceptions, 0};
    return {1, 0, degree * format.upper_bytes};
  }
};

/// Encodes a row; `at` is where its space in the arrays of irregular rows begins.
void encode_row(const CsrPattern& graph, const Format& format, vertex_t u, const RowPlan& plan,
                const IrregularUsage& at, CompressedAdjacency& out) {
  const edge_t begin = graph.begin(u);
  const edge_t end = graph.end(u);
  const int bits = format.block_bits;
  const auto write_codes = [&](auto&& code_of) {
    std::uint8_t pending = 0;  // bits of the byte of `blocks` that is being filled
    for (edge_t e = begin; e < end; ++e) {
      const auto code = static_cast<std::uint64_t>(code_of(graph.heads[e]));
      out.low[slot(e)] = static_cast<std::uint8_t>(code);
      if (bits == 0) continue;
      const edge_t bit = e * bits;
      pending |= static_cast<std::uint8_t>((code >> 8) << (bit & 7));
      if (((bit + bits) & 7) != 0 && e + 1 < end) continue;
      // Adjacent rows share their first and last bytes.
      std::atomic_ref<std::uint8_t>(out.blocks[slot(bit >> 3)])
          .fetch_or(pending, std::memory_order_relaxed);
      pending = 0;
    }
  };
  const bool is_wide = plan.kind == RowPlan::Kind::wide;
  const bool is_regular = plan.kind == RowPlan::Kind::regular;
  out.bases[slot(u)] = is_regular ? plan.base : ~static_cast<vertex_t>(at.rows);
  if (!is_regular) {
    out.irregular[slot(at.rows)] = {is_wide ? at.upper : at.exceptions, plan.base,
                                    plan.n_exceptions};
  }
  if (is_wide) {
    std::int64_t next = at.upper;
    for (edge_t e = begin; e < end; ++e) {
      auto upper = static_cast<std::uint64_t>(graph.heads[e]) >> (8 + bits);
      for (int i = 0; i < format.upper_bytes; ++i, upper >>= 8) {
        out.upper[slot(next++)] = static_cast<std::uint8_t>(upper);
      }
    }
    write_codes([&](vertex_t head) { return head & (format.n_codes - 1); });
    return;
  }
  std::int64_t exception = at.exceptions;
  const std::int64_t first_exception = format.n_codes - plan.n_exceptions;
  write_codes([&](vertex_t head) -> std::int64_t {
    const std::int64_t difference = std::int64_t{head} - plan.base;
    if (difference >= 0 && difference < first_exception) return difference;
    out.exceptions[slot(exception)] = head;
    return first_exception + (exception++ - at.exceptions);
  });
}

/// Calls visit(u, plan, usage of this row) for the rows first .. last in order.
template <class Visit>
void for_each_plan(const CsrPattern& graph, const Format& format, vertex_t first, vertex_t last,
                   Visit&& visit) {
  RowPlanner planner(graph);
  for (vertex_t u = first; u < last; ++u) {
    planner.load_row(u);
    const RowPlan plan = planner.plan(format);
    visit(u, plan, IrregularUsage::of(plan, format, graph.degree(u)));
  }
}

}  // namespace

std::int64_t CompressedAdjacency::n_wide_rows() const noexcept {
  return std::count_if(irregular.begin(), irregular.end(), [](const IrregularRow& row) {
    return row.n_exceptions == IrregularRow::wide;
  });
}

CompressedAdjacency compress(const CsrPattern& graph, int block_bits, MemoryBudget budget) {
  const RowBlocks rows(graph);
  const Format format(block_bits < 0 ? smallest_block_bits(graph, rows) : block_bits,
                      graph.n_vertices);
  std::vector<IrregularUsage> starts(slot(rows.size()) + 1);
  rows.for_each([&](std::int64_t block, vertex_t first, vertex_t last) {
    IrregularUsage sum;
    for_each_plan(graph, format, first, last,
                  [&](vertex_t, const RowPlan&, IrregularUsage usage) { sum += usage; });
    starts[slot(block)] = sum;
  });
  IrregularUsage total;
  for (IrregularUsage& start : starts) {
    const IrregularUsage usage = std::exchange(start, total);
    total += usage;
  }
  CompressedAdjacency out;
  out.block_bits = format.block_bits;
  out.upper_bytes = format.upper_bytes;
  const std::size_t n_block_bytes = slot((graph.n_arcs * format.block_bits + 7) / 8);
  budget.require("compressing the graph",
                 slot(graph.n_vertices) * sizeof(vertex_t) + slot(graph.n_arcs) + n_block_bytes +
                     slot(total.rows) * sizeof(IrregularRow) +
                     slot(total.exceptions) * sizeof(vertex_t) + slot(total.upper),
                 "use a smaller graph");
  out.bases.resize(slot(graph.n_vertices));
  out.low.resize(slot(graph.n_arcs));
  out.blocks.resize(n_block_bytes);
  out.irregular.resize(slot(total.rows));
  out.exceptions.resize(slot(total.exceptions));
  out.upper.resize(slot(total.upper));
  parallel_for(static_cast<std::int64_t>(n_block_bytes),
               [&](std::int64_t i) { out.blocks[slot(i)] = 0; });
  rows.for_each([&](std::int64_t block, vertex_t first, vertex_t last) {
    IrregularUsage at = starts[slot(block)];
    for_each_plan(graph, format, first, last,
                  [&](vertex_t u, const RowPlan& plan, IrregularUsage usage) {
                    encode_row(graph, format, u, plan, at, out);
                    at += usage;
                  });
  });
  return out;
}

void decompress(const CompressedView& graph, std::span<vertex_t> heads) {
  EXPECTS(static_cast<edge_t>(heads.size()) == graph.n_arcs, "the graph has ", graph.n_arcs,
          " arcs, but there is room for ", heads.size());
  const CsrPattern pattern{graph.n_vertices, graph.n_arcs, graph.offsets, nullptr};
  RowBlocks(pattern).for_each([&](std::int64_t, vertex_t first, vertex_t last) {
    for (vertex_t u = first; u < last; ++u) {
      const CompressedRow row = graph.row(u);
      std::copy(row.begin(), row.end(), heads.data() + row.begin_position());
    }
  });
}

}  // namespace warpgraph
