#include "algorithms/single_linkage/contraction.hpp"
#include "algorithms/single_linkage/weight_order.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"

#include <optional>

namespace warpgraph {
namespace {

using namespace contraction;

/// The backend of TreeContraction on all cores.
struct CpuBackend {
  template <class T>
  using Array = HostVector<T>;

  /// The view of Sorted for loops: the chain and the rank of the i-th row.
  struct Order {
    const SortedItem* items = nullptr;
    [[nodiscard]] std::uint32_t chain(std::int64_t i) const noexcept { return items[i].word; }
    [[nodiscard]] rank_t item(std::int64_t i) const noexcept { return items[i].index; }
  };
  struct Sorted {
    HostArray<SortedItem> items;
    [[nodiscard]] Order order() const noexcept { return {items.get()}; }
  };

  template <class T>
  [[nodiscard]] Array<T> array(std::int64_t n) const {
    return Array<T>(static_cast<std::size_t>(n));
  }
  template <class Body>
  void for_each(std::int64_t n, const Body& body) const {
    parallel_for(n, body);
  }
  /// Scans exclusively, in place; values[n] becomes the total.
  void scan(std::uint32_t* values, std::int64_t n) const {
    values[n] = 0;
    exclusive_scan_in_place(values, n + 1);
  }
  template <class T>
  [[nodiscard]] T read(const T* source) const noexcept {
    return *source;
  }
  template <class T>
  void write(T* target, T value) const noexcept {
    *target = value;
  }
  /// Returns the sorted edges; nothing if they are in order.
  [[nodiscard]] std::optional<Sorted> sort_by_weight(const double* weights, std::int64_t n) const {
    HostArray<SortedItem> order =
        order_by_weight(std::span<const double>(weights, static_cast<std::size_t>(n)));
    if (!order) return std::nullopt;
    return Sorted{std::move(order)};
  }
  /// Returns the rows sorted by their chains, in each by rank.
  [[nodiscard]] Sorted sort_by_chain(const std::uint32_t* chain, std::int64_t n_rows,
                                     std::int64_t /*n_chains*/) const {
    return {sorted_by_key(n_rows, [chain](std::int64_t rank) { return chain[rank]; })};
  }
};

/// The numbers of threads and of vertices from which contraction is faster than the reference,
/// though it does several times the work. On the 16 cores beside an H100, a million edges of random
/// trees and of trees of points take the reference 32 to 42 ms; they take contraction 15 to 19 ms
/// with 16 threads, 24 to 31 with 8, and more than the reference with 4. With 200 thousand edges
/// and 8 threads, contraction takes as long as the reference. Only a path whose edges grow heavier
/// from end to end takes contraction 2.6 times as long as the reference: its nodes are one chain,
/// which FindChain follows node by node. (If the merges of the reference run in parallel, with a
/// share of the components of light edges for each thread, they take as long as contraction at
/// best, and twice as long where one component has most edges early.)
constexpr int min_contraction_threads = 8;
constexpr vertex_t min_contraction_vertices = 1'000'000;

}  // namespace

void single_linkage_cpu(const ForestView& forest, std::span<double> linkage, LinkageMethod method) {
  const bool pays =
      num_threads() >= min_contraction_threads && forest.n_vertices >= min_contraction_vertices;
  const bool contracts =
      method == LinkageMethod::fastest ? pays : method == LinkageMethod::contraction;
  const bool may_be_forest = std::ssize(forest.weights) < forest.n_vertices;
  if (contracts && may_be_forest && forest.n_vertices > 1) {
    const CpuBackend backend;
    const RankedForest<CpuBackend> ranked(backend, forest);
    if (ranked.is_forest() &&
        TreeContraction<CpuBackend>(backend, ranked.tree()).run(linkage.data())) {
      return;
    }
  }
  single_linkage_reference(forest, linkage);  // also names the edge that closes a cycle
}

}  // namespace warpgraph
