#include "algorithms/single_linkage/contraction.hpp"
#include "core/cuda/cub/scan.hpp"
#include "core/cuda/cub/sort_pairs.hpp"
#include "core/cuda/for_each.cuh"
#include "core/error.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/order_key.hpp"

#include <bit>
#include <optional>
#include <vector>

namespace warpgraph {
namespace {

using namespace contraction;

/// A function that makes the keys by which edges are sorted.
struct MakeKey {
  const double* weights;
  order_key_t<double>* keys;
  std::uint32_t* decreases;  // becomes 1 if a weight is less than the one before it
  __device__ void operator()(std::int64_t e) const {
    keys[e] = order_key(weights[e]);
    if (e > 0 && weights[e] < weights[e - 1]) relaxed_store(*decreases, 1u);
  }
};

/// The backend of TreeContraction on the device of a stream.
class CudaBackend {
 public:
  template <class T>
  using Array = cuda::DeviceBuffer<T>;

  /// The view of Sorted for kernels: the chain and the rank of the i-th row.
  struct Order {
    const std::uint32_t* chains = nullptr;
    const rank_t* ranks = nullptr;
    [[nodiscard]] __device__ std::uint32_t chain(std::int64_t i) const { return chains[i]; }
    [[nodiscard]] __device__ rank_t item(std::int64_t i) const { return ranks[i]; }
  };
  struct Sorted {
    Array<std::uint32_t> chains;
    Array<rank_t> ranks;
    [[nodiscard]] Order order() const { return {chains.data(), ranks.data()}; }
  };

  explicit CudaBackend(const cuda::Stream& stream) : stream_(stream) {}

  template <class T>
  [[nodiscard]] Array<T> array(std::int64_t n) const {
    return Array<T>(static_cast<std::size_t>(n), stream_);
  }
  template <class Body>
  void for_each(std::int64_t n, const Body& body) const {
    cuda::for_each(stream_, n, body);
  }
  /// Scans exclusively, in place; values[n] becomes the total.
  void scan(std::uint32_t* values, std::int64_t n) const {
    cuda::fill_bytes(values + n, 0, 1, stream_);
    cuda::exclusive_sum(values, n + 1, stream_);
  }
  template <class T>
  [[nodiscard]] T read(const T* source) const {
    return cuda::read_back(source, stream_);
  }
  template <class T>
  void write(T* target, T value) const {
    cuda::fill(target, value, 1, stream_);
  }
  /// Returns the sorted edges, without chains; nothing if they are in order.
  [[nodiscard]] std::optional<Sorted> sort_by_weight(const double* weights, std::int64_t n) const {
    using Key = order_key_t<double>;
    const Array<std::uint32_t> decreases = array<std::uint32_t>(1);
    Array<Key> keys = array<Key>(n);
    write(decreases.data(), 0u);
    for_each(n, MakeKey{weights, keys.data(), decreases.data()});
    if (read(decreases.data()) == 0) return std::nullopt;
    const Array<Key> sorted_keys = array<Key>(n);
    return Sorted{{}, sort(keys.data(), sorted_keys.data(), n, 8 * sizeof(Key))};
  }
  /// Returns the rows sorted by their chains, in each by rank.
  [[nodiscard]] Sorted sort_by_chain(const std::uint32_t* chain, std::int64_t n_rows,
                                     std::int64_t n_chains) const {
    Array<std::uint32_t> chains = array<std::uint32_t>(n_rows);
    const int bits = std::bit_width(static_cast<std::uint64_t>(n_chains));
    Array<rank_t> ranks = sort(chain, chains.data(), n_rows, bits);
    return {std::move(chains), std::move(ranks)};
  }

  /// The bytes per edge of the sorts: keys and indices, with CUB's second buffers.
  static constexpr std::size_t bytes_per_edge = 4 * (sizeof(order_key_t<double>) + sizeof(rank_t));

 private:
  /// Returns the indices of the keys in sorted order.
  template <class Key>
  Array<rank_t> sort(const Key* keys, Key* sorted, std::int64_t n, int bits) const {
    const Array<rank_t> indices = array<rank_t>(n);
    Array<rank_t> order = array<rank_t>(n);
    cuda::iota(indices.data(), n, stream_);
    cuda::sort_pairs(keys, sorted, indices.data(), order.data(), n, bits, stream_);
    return order;
  }

  const cuda::Stream& stream_;
};

/// Throws the error that names the edge that closes a cycle, for a forest in device memory. The
/// reference finds this edge, on the host.
[[noreturn]] void throw_cycle(const ForestView& forest, const cuda::Stream& stream) {
  std::vector<vertex_t> ends(forest.ends.size());
  std::vector<double> weights(forest.weights.size());
  cuda::copy(ends.data(), forest.ends.data(), ends.size(), stream);
  cuda::copy(weights.data(), forest.weights.data(), weights.size(), stream);
  stream.synchronize();
  std::vector<double> linkage(4 * (static_cast<std::size_t>(forest.n_vertices) - 1));
  single_linkage_reference({forest.n_vertices, ends, weights}, linkage);
  throw std::logic_error("a tree was taken for a graph with a cycle");
}

}  // namespace

void single_linkage_cuda(const ForestView& forest, std::span<double> linkage, MemoryBudget budget,
                         const cuda::Stream& stream) {
  if (forest.n_vertices < 2 && forest.weights.empty()) return;
  if (std::ssize(forest.weights) >= forest.n_vertices) throw_cycle(forest, stream);
  const auto n = static_cast<std::size_t>(forest.n_vertices);
  budget.require("the dendrogram of " + std::to_string(n) + " vertices",
                 n * (RankedForest<CudaBackend>::bytes_per_vertex +
                      TreeContraction<CudaBackend>::bytes_per_vertex + CudaBackend::bytes_per_edge),
                 "pass device='cpu'");
  const CudaBackend backend(stream);
  const RankedForest<CudaBackend> ranked(backend, forest);
  if (!ranked.is_forest() ||
      !TreeContraction<CudaBackend>(backend, ranked.tree()).run(linkage.data())) {
    throw_cycle(forest, stream);
  }
  stream.synchronize();
}

}  // namespace warpgraph
