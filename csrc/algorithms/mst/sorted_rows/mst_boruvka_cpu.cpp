#include "algorithms/mst/sorted_rows/forest_of_ranks.hpp"
#include "algorithms/mst/sorted_rows/host_row_search.hpp"
#include "algorithms/mst/sorted_rows/mst_boruvka.hpp"
#include "algorithms/mst/sorted_rows/prepared_rows.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/generate/random.hpp"
#include "graph/transform/row_blocks.hpp"
#include "primitives/boruvka/host_step.hpp"

#include <algorithm>
#include <array>

namespace warpgraph {
namespace {

using namespace mst;

/// For progress: sorting, then the rounds of most graphs.
constexpr std::int64_t steps_expected = 8;

/// Procedures two to four on CPU threads; see DeviceBoruvkaTrees.
class HostBoruvkaTrees {
 public:
  explicit HostBoruvkaTrees(vertex_t n_vertices)
      : n_vertices_(n_vertices),
        n_trees_(n_vertices),
        tree_of_(n_vertices),
        choices_(n_vertices),
        parent_(n_vertices),
        numbers_(std::int64_t{n_vertices} + 1),
        chosen_(static_cast<std::size_t>(n_vertices)) {
    parallel_for(n_vertices, [&](std::int64_t v) {
      tree_of_[v] = static_cast<vertex_t>(v);
      choices_[v] = no_choice;
    });
  }

  [[nodiscard]] static std::size_t bytes(vertex_t n_vertices) noexcept {
    return static_cast<std::size_t>(n_vertices) *
           (3 * sizeof(vertex_t) + sizeof(choice_t) + 2 * sizeof(rank_t));  // twice, for the sort
  }

  [[nodiscard]] const vertex_t* tree_of() const { return tree_of_.get(); }
  [[nodiscard]] vertex_t giant() const { return giant_; }
  [[nodiscard]] choice_t* choices() { return choices_.get(); }

  bool join() {
    const boruvka::Trees trees{n_trees_, n_vertices_, tree_of_.get(), parent_.get(),
                               numbers_.get()};
    boruvka::join_trees(boruvka::HostStep{}, trees, TargetOfChoice{choices_.get()},
                        RecordChoice{choices_.get(), chosen_.data() + n_chosen_});
    const vertex_t n_roots = numbers_[n_trees_];
    const bool joined = n_roots < n_trees_;
    n_chosen_ += n_trees_ - n_roots;
    n_trees_ = n_roots;
    choose_giant();
    return joined;
  }

  /// The ranks of the forest's edges in ascending order.
  [[nodiscard]] HostVector<rank_t> sorted_ranks() {
    HostVector<rank_t> ranks = std::move(chosen_);
    ranks.resize(static_cast<std::size_t>(n_chosen_));
    parallel_sort(ranks.begin(), ranks.end());
    return ranks;
  }

 private:
  /// The most frequent tree of a few random vertices, as on a device.
  void choose_giant() {
    constexpr std::uint64_t n_samples = 32;
    const CounterRandom random(static_cast<std::uint64_t>(n_trees_), 0);
    std::array<vertex_t, n_samples> sample;
    for (std::uint64_t i = 0; i < n_samples; ++i) {
      sample[i] = tree_of_[static_cast<std::int64_t>(
          random.below(i, static_cast<std::uint64_t>(n_vertices_)))];
    }
    const auto frequency = [&](vertex_t tree) {
      return std::count(sample.begin(), sample.end(), tree);
    };
    giant_ = *std::max_element(sample.begin(), sample.end(),
                               [&](vertex_t a, vertex_t b) { return frequency(a) < frequency(b); });
  }

  vertex_t n_vertices_;
  vertex_t n_trees_;
  vertex_t giant_ = no_vertex;
  std::int64_t n_chosen_ = 0;
  HostArray<vertex_t> tree_of_;
  HostArray<choice_t> choices_;
  HostArray<vertex_t> parent_;
  HostArray<vertex_t> numbers_;  // of each root, then their count
  HostVector<rank_t> chosen_;
};

}  // namespace

template <class W>
SpanningForest<W> mst_boruvka_cpu(const CsrView<W>& graph, const BoruvkaOptions& options) {
  const vertex_t n = graph.n_vertices;
  if (n == 0) return {};
  report_progress(0, steps_expected);
  PreparedRows rows = prepare_rows(graph, options.maximum, options.memory_limit);
  if (options.compressed) rows.compress_heads(options.memory_limit);
  MemoryBudget(Device{}, options.memory_limit)
      .require("a minimum spanning forest",
               rows.bytes() + HostBoruvkaTrees::bytes(n) + HostRowSearch::bytes(n),
               "raise memory_limit or use method=\"filter\"");
  HostBoruvkaTrees trees(n);
  const RowBlocks blocks(rows.pattern());
  const HostRowSearch search(rows.view());
  std::int64_t step = 1;
  do {
    report_progress(std::min(step++, steps_expected - 1), steps_expected);
    blocks.for_each([&](std::int64_t, vertex_t first, vertex_t last) {
      search.search(first, last, trees.tree_of(), trees.giant(), trees.choices());
    });
  } while (trees.join());
  SpanningForest<W> forest = forest_of_ranks(graph, rows, trees.sorted_ranks());
  report_progress(steps_expected, steps_expected);
  return forest;
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(mst_boruvka_cpu)

}  // namespace warpgraph
