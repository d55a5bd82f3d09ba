#include "algorithms/many_to_many/many_to_many.hpp"
#include "algorithms/within/found_rows.hpp"
#include "algorithms/within/within.hpp"
#include "core/containers/at.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/cub/scan.hpp"
#include "core/cuda/for_each.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "core/cuda/warp.cuh"
#include "core/memory/memory_budget.hpp"
#include "core/polls_only.hpp"

#include <algorithm>

namespace warpgraph {
namespace {

using within_detail::FoundRows;
using within_detail::ResultMeter;

/// The vertices of a row that a warp looks at.
constexpr std::int64_t tile_size = 1024;
/// The most sources at a time: several for each warp that searches.
constexpr std::int64_t max_sources = 1 << 13;

/// Rows of distances to all vertices, divided into tiles.
template <class W>
struct TiledRows {
  const W* distances;
  std::int64_t n_vertices;
  std::int64_t tiles_per_row;
  std::int64_t n_tiles;

  /// Calls visit(vertex, distance) in each lane for the vertices of a tile, 32 at a time; beyond
  /// the last one the distance is infinite.
  template <class Visit>
  __device__ void visit_tile(std::int64_t tile, Visit&& visit) const {
    const W* const row = distances + tile / tiles_per_row * n_vertices;
    const std::int64_t first = tile % tiles_per_row * tile_size;
    const std::int64_t last = min(n_vertices, first + tile_size);
    for (std::int64_t base = first; base < last; base += cuda::warp_lanes) {
      const std::int64_t v = base + cuda::lane();
      visit(static_cast<vertex_t>(v), v < last ? row[v] : infinity<W>());
    }
  }
};

/// Counts what was reached in each tile.
template <class W>
__global__ void count_reached(TiledRows<W> rows, std::int64_t* counts) {
  const std::int64_t tile = cuda::global_warp();
  if (tile >= rows.n_tiles) return;
  int n_reached = 0;
  rows.visit_tile(tile, [&](vertex_t, W distance) {
    n_reached += __popc(__ballot_sync(cuda::all_lanes, distance != infinity<W>()));
  });
  if (cuda::lane() == 0) counts[tile] = n_reached;
}

/// Lists what was reached, in ascending order of vertices. `begins` has the place of each tile.
template <class W>
__global__ void list_reached(TiledRows<W> rows, const std::int64_t* begins, vertex_t* vertices,
                             W* distances) {
  const std::int64_t tile = cuda::global_warp();
  if (tile >= rows.n_tiles) return;
  std::int64_t end = begins[tile];
  rows.visit_tile(tile, [&](vertex_t v, W distance) {
    const bool is_reached = distance != infinity<W>();
    const unsigned reached = __ballot_sync(cuda::all_lanes, is_reached);
    if (is_reached) {
      const std::int64_t to = end + __popc(reached & cuda::lanemask_lt());
      vertices[to] = v;
      distances[to] = distance;
    }
    end += __popc(reached);
  });
}

/// Takes the place of each row's first tile; beyond the last row, the end.
struct RowOffsets {
  const std::int64_t* begins;
  std::int64_t tiles_per_row;
  edge_t* offsets;

  __device__ void operator()(std::int64_t row) const { offsets[row] = begins[row * tiles_per_row]; }
};

/// Adds up the summands within one of the limits of a source, in the order of its list.
template <class W>
struct AddWithin {
  const edge_t* offsets;
  const vertex_t* vertices;
  const W* distances;
  const W* limits;
  std::int64_t n_limits;
  const double* summands;  // nullptr: 1 each
  double* sums;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t row = i / n_limits;
    const W limit = limits[i % n_limits];
    double sum = 0;
    for (edge_t e = offsets[row]; e < offsets[row + 1]; ++e) {
      if (distances[e] <= limit) sum += summands == nullptr ? 1.0 : summands[vertices[e]];
    }
    sums[i] = sum;
  }
};

/// A search from some sources at a time, and the lists of what the last ones reached.
template <class W>
class DeviceSearch {
 public:
  DeviceSearch(const CsrView<W>& graph, const CsrView<W>& host, std::int64_t n_sources, W limit,
               MemoryBudget budget, const cuda::Stream& stream)
      : graph_(graph),
        host_(host),
        stream_(stream),
        tiles_per_row_((graph.n_vertices + tile_size - 1) / tile_size),
        max_rows_(affordable_rows(n_sources, budget.on(stream.device()))),
        rows_(at(max_rows_ * graph.n_vertices), stream),
        begins_(at(max_rows_ * tiles_per_row_ + 1), stream),
        offsets_(at(max_rows_ + 1), stream) {
    options_.method = ManyToManyMethod::dijkstra;
    options_.limit = limit;
    options_.budget = budget.after(at(max_rows_) * bytes_per_row());
  }

  /// Returns the number of sources of a search.
  [[nodiscard]] std::int64_t max_rows() const noexcept { return max_rows_; }

  void run(std::span<const vertex_t> sources) {
    const auto n = static_cast<std::int64_t>(sources.size());
    vertices_ = {};
    distances_ = {};
    const ManyToManyResult<W> result{rows_.data(), graph_.n_vertices, nullptr, true};
    many_to_many_cuda(graph_, host_, sources, options_, result, stream_);
    const TiledRows<W> rows{rows_.data(), graph_.n_vertices, tiles_per_row_, n * tiles_per_row_};
    std::int64_t* const begins = begins_.data();
    const std::int64_t n_threads = rows.n_tiles * cuda::warp_lanes;
    cuda::launch_for(stream_, n_threads, count_reached<W>, rows, begins);
    cuda::fill_bytes(begins + rows.n_tiles, 0, 1, stream_);
    cuda::exclusive_sum(begins, rows.n_tiles + 1, stream_);
    cuda::for_each(stream_, n + 1, RowOffsets{begins, tiles_per_row_, offsets_.data()});
    n_entries_ = cuda::read_back(begins + rows.n_tiles, stream_);
    vertices_ = {at(n_entries_), stream_};
    distances_ = {at(n_entries_), stream_};
    cuda::launch_for(stream_, n_threads, list_reached<W>, rows, begins, vertices_.data(),
                     distances_.data());
  }

  [[nodiscard]] std::int64_t n_entries() const noexcept { return n_entries_; }
  [[nodiscard]] const edge_t* offsets() const noexcept { return offsets_.data(); }
  [[nodiscard]] const vertex_t* vertices() const noexcept { return vertices_.data(); }
  [[nodiscard]] const W* distances() const noexcept { return distances_.data(); }

 private:
  /// Returns the bytes of a row, and of its lists if all vertices are reached.
  [[nodiscard]] std::size_t bytes_per_row() const {
    return at(graph_.n_vertices) * (2 * sizeof(W) + sizeof(vertex_t)) +
           (at(tiles_per_row_) + 1) * sizeof(std::int64_t);
  }

  /// Returns the rows for which half of the memory is enough: searches take some, too.
  [[nodiscard]] std::int64_t affordable_rows(std::int64_t n_sources, MemoryBudget budget) const {
    budget.require("the row of a source", bytes_per_row(),
                   "ask for a narrower dtype or use device=\"cpu\"");
    const auto rows = static_cast<std::int64_t>(budget.available() / 2 / bytes_per_row());
    return std::clamp<std::int64_t>(rows, 1, std::min(n_sources, max_sources));
  }

  const CsrView<W>& graph_;
  const CsrView<W>& host_;
  const cuda::Stream& stream_;
  ManyToManyOptions<W> options_;
  const std::int64_t tiles_per_row_;
  const std::int64_t max_rows_;
  const cuda::DeviceBuffer<W> rows_;
  const cuda::DeviceBuffer<std::int64_t> begins_;  // of the tiles
  const cuda::DeviceBuffer<edge_t> offsets_;
  cuda::DeviceBuffer<vertex_t> vertices_;
  cuda::DeviceBuffer<W> distances_;
  std::int64_t n_entries_ = 0;
};

/// Searches from one part of the sources after another; use(first, n) takes what the part's rows
/// have.
template <class W, class Use>
void search_in_parts(DeviceSearch<W>& search, std::span<const vertex_t> sources, const Use& use) {
  const auto n = static_cast<std::int64_t>(sources.size());
  for (std::int64_t first = 0; first < n; first += search.max_rows()) {
    const std::int64_t count = std::min(search.max_rows(), n - first);
    {
      PartOfCall hooks(first, n);
      const ScopedHooks installed(hooks);
      search.run(sources.subspan(at(first), at(count)));
    }
    use(first, count);
  }
}

}  // namespace

template <class W>
DistanceLists<W> within_cuda(const CsrView<W>& graph, const CsrView<W>& host,
                             std::span<const vertex_t> sources, W limit,
                             const WithinSettings& settings, const cuda::Stream& stream) {
  const auto n_sources = static_cast<std::int64_t>(sources.size());
  if (sources.empty()) return {{0}, {}, {}};
  std::vector<DistanceLists<W>> parts;
  DeviceSearch<W> search(graph, host, n_sources, limit, settings.budget, stream);
  ResultMeter meter(settings.budget, 0, n_sources, FoundRows<W>::bytes_per_entry);
  search_in_parts(search, sources, [&](std::int64_t, std::int64_t n) {
    const auto n_entries = at(search.n_entries());
    DistanceLists<W> part;
    part.offsets.resize(at(n) + 1);
    meter.add_rows(n, search.n_entries());
    meter.add_block(n_entries * FoundRows<W>::bytes_per_entry + at(n) * sizeof(edge_t));
    part.vertices.resize(n_entries);
    part.distances.resize(n_entries);
    cuda::CopyOut out;
    out.copy(part.offsets.data(), search.offsets(), part.offsets.size(), stream);
    out.copy(part.vertices.data(), search.vertices(), n_entries, stream);
    out.copy(part.distances.data(), search.distances(), n_entries, stream);
    out.finish();
    parts.push_back(std::move(part));
  });
  return join_lists(std::move(parts));
}

template <class W>
void sums_within_cuda(const CsrView<W>& graph, const CsrView<W>& host,
                      std::span<const vertex_t> sources, const ReachSums<W>& reach,
                      const WithinSettings& settings, const cuda::Stream& stream) {
  const std::size_t n_limits = reach.limits.size();
  if (n_limits == 0 || sources.empty()) return;
  const W farthest = *std::max_element(reach.limits.begin(), reach.limits.end());
  DeviceSearch<W> search(graph, host, std::ssize(sources), farthest, settings.budget, stream);
  const auto limits = cuda::to_device(reach.limits, stream);
  const auto summands = cuda::to_device(reach.summands, stream);
  const cuda::DeviceBuffer<double> sums(at(search.max_rows()) * n_limits, stream);
  search_in_parts(search, sources, [&](std::int64_t first, std::int64_t n) {
    const AddWithin<W> add{search.offsets(),
                           search.vertices(),
                           search.distances(),
                           limits.data(),
                           static_cast<std::int64_t>(n_limits),
                           reach.summands.empty() ? nullptr : summands.data(),
                           sums.data()};
    cuda::for_each(stream, n * add.n_limits, add);
    cuda::copy_out(reach.sums.data() + at(first) * n_limits, sums.data(), at(n) * n_limits, stream);
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(within_cuda)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sums_within_cuda)

}  // namespace warpgraph
