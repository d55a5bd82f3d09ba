// Breadth-first search from many sources on CUDA, one batch after the other. The kernels are in
// batch_level_search.cuh and hop_planes.cuh.
//
// The search of a batch does not depend on the type of the result, only on the number of words of a
// set. It leaves bit planes, from which the rows are written.
#include "algorithms/bfs/bfs.hpp"
#include "algorithms/bfs/from_many/batch_level_search.cuh"
#include "algorithms/bfs/from_many/hop_planes.cuh"
#include "core/cuda/copies/row_copier.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/interrupt.hpp"
#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace warpgraph {
namespace {

using namespace bfs_detail;

/// Words of a set of sources. Four fill the sector of 32 bytes that an access takes anyway. More
/// would save levels of small graphs, but the sets of a million vertices, 32 MB with four words,
/// would no longer fit the L2 cache, which all arcs access at random.
constexpr int narrow = 1;
constexpr int wide = max_words;
/// The planes that there are from the start: 15 levels, as most graphs with hubs have at most.
/// Others are added when the search gets so far.
constexpr int first_planes = 4;
/// Rows that are written at a time if the result is in host memory.
constexpr std::int64_t rows_per_copy = cuda::warp_lanes;
/// Blocks per multiprocessor, whose 1024 threads may use 64 registers each. A warp has an access to
/// 32 sets in flight, so a third block would not use the cache any better.
constexpr int blocks_per_multiprocessor = 2;

template <int n_words>
__global__ void __launch_bounds__(queue_threads, blocks_per_multiprocessor)
    search_batch(BatchLevelView view) {
  __shared__ BatchLevelMemory memory;
  BatchLevelSearch<n_words>(view, memory).run();
}

/// Makes source i of the batch reach itself.
__global__ void mark_sources(BatchLevelView view, const vertex_t* sources, std::int64_t n) {
  const std::int64_t i = cuda::global_index();
  if (i >= n) return;
  const vertex_t v = sources[i];
  const std::int64_t place = std::int64_t{v} * view.hops.n_words + i / word_bits;
  atomicOr(&view.hops.reached[place], word_t{1} << (i % word_bits));
  atomicOr(&view.touched[v / 32], 1u << (v % 32));
}

/// Sizes of the arrays for a batch.
struct BatchSizes {
  std::size_t set, bitmap, chunks, long_rows;
  int planes;  // at most

  /// Computes the sizes. The last level is at most as deep as there are vertices, and finds none.
  BatchSizes(const CsrPattern& graph, vertex_t limit, int n_words)
      : set(at(graph.n_vertices) * at(n_words)),
        bitmap((at(graph.n_vertices) + 31) / 32),
        chunks(max_chunks(graph)),
        // A row of more than `max` arcs has fewer than 2 * arcs / max chunks of them.
        long_rows(at(2 * graph.n_arcs / chunk_arcs + 1)),
        planes(static_cast<int>(
            std::bit_width(static_cast<unsigned>(std::min(limit, graph.n_vertices))))) {}

  /// Returns the bytes of the sets reached, before and frontier, the planes, and the other arrays.
  [[nodiscard]] std::size_t bytes() const {
    return (3 + at(planes)) * set * sizeof(word_t) + bitmap * sizeof(std::uint32_t) +
           (chunks + long_rows) * sizeof(RowChunk);
  }
};

/// Searches from one batch after the other. Owns the memory for a batch.
template <int n_words>
class BatchSearcher {
 public:
  static constexpr std::int64_t max_sources = word_bits * n_words;

  BatchSearcher(const CsrPattern& graph, const BfsFromManyOptions& options,
                const cuda::Stream& stream)
      : stream_(stream),
        sizes_(graph, options.limit, n_words),
        planes_from_start_(std::min(first_planes, sizes_.planes)),
        sets_((3 + at(planes_from_start_)) * sizes_.set, stream),
        touched_(sizes_.bitmap, stream),
        chunks_(sizes_.chunks + sizes_.long_rows, stream),
        counts_(2, stream),
        state_(1, stream),
        view_{graph,
              options.symmetric,
              options.limit,
              {n_words, planes_from_start_, sets_.data() + sizes_.set, {}},
              sets_.data() + 2 * sizes_.set,
              sets_.data(),
              touched_.data(),
              chunks_.data(),
              chunks_.data() + sizes_.chunks,
              counts_.data(),
              state_.data()} {
    for (int p = 0; p < planes_from_start_; ++p) {
      view_.hops.planes[p] = sets_.data() + (3 + at(p)) * sizes_.set;
    }
  }

  /// Searches from n sources, which are on the device. `hops()` is complete on return.
  void run(const vertex_t* sources, std::int64_t n) {
    clear();
    cuda::launch_for(stream_, n, mark_sources, view_, sources, n);
    BatchLevelState state{-1, 0, 0, view_.graph.n_arcs, {}};
    for (std::int64_t i = 0; i < n; ++i) state.active[i / word_bits] |= word_t{1} << i % word_bits;
    cuda::copy(state_.data(), &state, 1, stream_);
    const std::int64_t blocks =
        cuda::resident_blocks(stream_, search_batch<n_words>, queue_threads, 0);
    while (state.depth < 0 || (state.n_chunks > 0 && state.depth < view_.limit)) {
      poll();
      if ((std::int64_t{state.depth} + 1) >> view_.hops.n_planes != 0) add_plane();
      cuda::fill_bytes(counts_.data(), 0, counts_.size(), stream_);
      cuda::launch_cooperative(stream_, blocks, queue_threads, 0, search_batch<n_words>, view_);
      state = cuda::read_back(state_.data(), stream_);
    }
  }

  [[nodiscard]] const HopPlanes& hops() const { return view_.hops; }

 private:
  /// Clears every set but the frontier, whose words are written before they are read.
  void clear() {
    cuda::fill_bytes(sets_.data() + sizes_.set, 0, sets_.size() - sizes_.set, stream_);
    for (const auto& plane : more_planes_) {
      cuda::fill_bytes(plane.data(), 0, plane.size(), stream_);
    }
    cuda::fill_bytes(touched_.data(), 0, touched_.size(), stream_);
  }

  void add_plane() {
    const auto& plane = more_planes_.emplace_back(sizes_.set, stream_);
    cuda::fill_bytes(plane.data(), 0, plane.size(), stream_);
    view_.hops.planes[view_.hops.n_planes++] = plane.data();
  }

  const cuda::Stream& stream_;
  const BatchSizes sizes_;
  const int planes_from_start_;
  cuda::DeviceBuffer<word_t> sets_;  // frontier, reached, before, planes
  std::vector<cuda::DeviceBuffer<word_t>> more_planes_;
  cuda::DeviceBuffer<std::uint32_t> touched_;
  cuda::DeviceBuffer<RowChunk> chunks_;
  cuda::DeviceBuffer<BatchLevelCounts> counts_;
  cuda::DeviceBuffer<BatchLevelState> state_;
  BatchLevelView view_;
};

/// Writes the rows of one batch after the other to the result.
template <class T>
class RowWriter {
 public:
  RowWriter(const DeviceColumns& columns, const BfsRows<T>& rows, const cuda::Stream& stream)
      : columns_(columns), rows_(rows), stream_(stream) {
    if (rows.on_device) return;
    own_rows_ = cuda::DeviceBuffer<T>(at(rows_per_copy * columns.n), stream);
    copier_.emplace(rows.first, rows.stride, columns.n, stream);
  }

  static std::size_t bytes(std::int64_t n_columns, const BfsRows<T>& rows) {
    return rows.on_device ? 0 : at(rows_per_copy * n_columns) * sizeof(T);
  }

  /// Writes the rows of all n sources of a batch, from row `first_row` of the result on.
  void write(const HopPlanes& hops, std::int64_t first_row, std::int64_t n) {
    if (!copier_) {
      BfsRows<T> rows = rows_;
      rows.first += first_row * rows.stride;
      launch_write_hop_rows(hops, columns_, 0, static_cast<int>(n), rows, stream_);
      return stream_.synchronize();
    }
    const BfsRows<T> rows{own_rows_.data(), columns_.n, rows_.unreached, true};
    for (std::int64_t done = 0; done < n; done += rows_per_copy) {
      const std::int64_t count = std::min(rows_per_copy, n - done);
      launch_write_hop_rows(hops, columns_, static_cast<int>(done), static_cast<int>(count), rows,
                            stream_);
      copier_->copy(own_rows_.data(), first_row + done, count);
    }
  }

 private:
  const DeviceColumns columns_;
  const BfsRows<T> rows_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<T> own_rows_;  // to be copied to the host
  std::optional<cuda::RowCopier<T>> copier_;
};

std::int64_t n_columns(const CsrPattern& graph, const BfsFromManyOptions& options) {
  return options.targets.empty() ? graph.n_vertices : std::ssize(options.targets);
}

template <class T>
std::size_t bytes_needed(const CsrPattern& graph, const BfsFromManyOptions& options,
                         const BfsRows<T>& rows, int n_words) {
  return BatchSizes(graph, options.limit, n_words).bytes() +
         (options.sources.size() + options.targets.size()) * sizeof(vertex_t) +
         RowWriter<T>::bytes(n_columns(graph, options), rows);
}

template <int n_words, class T>
void search(const CsrPattern& graph, const BfsFromManyOptions& options, const BfsRows<T>& rows,
            const cuda::Stream& stream) {
  const auto sources = cuda::to_device(options.sources, stream);
  const auto targets = cuda::to_device(options.targets, stream);
  BatchSearcher<n_words> searcher(graph, options, stream);
  RowWriter<T> writer({targets.data(), n_columns(graph, options)}, rows, stream);
  const std::int64_t n = std::ssize(options.sources);
  for (std::int64_t first = 0; first < n; first += searcher.max_sources) {
    const std::int64_t count = std::min(searcher.max_sources, n - first);
    searcher.run(sources.data() + first, count);
    writer.write(searcher.hops(), first, count);
    report_progress(first + count, n);
  }
}

}  // namespace

template <class T>
std::size_t bfs_from_many_bytes_cuda(const CsrPattern& graph, const BfsFromManyOptions& options,
                                     const BfsRows<T>& rows) {
  return bytes_needed(graph, options, rows, narrow);
}

template <class T>
void bfs_from_many_cuda(const CsrPattern& graph, const BfsFromManyOptions& options,
                        const BfsRows<T>& rows, const cuda::Stream& stream) {
  if (options.sources.empty()) return;
  const MemoryBudget budget = options.budget.on(stream.device());
  budget.require("breadth-first search from many sources",
                 bytes_needed(graph, options, rows, narrow),
                 "use device=\"cpu\", or clear() graphs that are no longer needed");
  if (std::ssize(options.sources) > narrow * word_bits &&
      budget.has(bytes_needed(graph, options, rows, wide))) {
    search<wide>(graph, options, rows, stream);
  } else {
    search<narrow>(graph, options, rows, stream);
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bfs_from_many_bytes_cuda)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(bfs_from_many_cuda)

}  // namespace warpgraph
