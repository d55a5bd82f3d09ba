#include "algorithms/knn/device_search.hpp"
#include "algorithms/knn/row_writer.cuh"
#include "primitives/knn/brute_force.cuh"
#include "primitives/products/near_pairs.cuh"

namespace warpgraph::knn {
namespace {

using products::CandidateLists;
using products::CandidateSearch;
using products::OwnedPanels;
using products::panel_width;
using products::PanelOrder;
using products::Panels;

/// The points that are searched, and those whose neighbours are wanted.
template <class T>
struct Sides {
  DevicePoints<T> points;
  DevicePoints<T> queries;
  bool are_own;  // whether queries are the points, and no neighbours of themselves

  [[nodiscard]] Queries<PointRows<T>> rows(std::int64_t count) const {
    return {rows_of(queries), 0, count, are_own};
  }
  static PointRows<T> rows_of(const DevicePoints<T>& of) {
    return {of.coordinates, of.n, of.dimension};
  }
};

/// Queries whose candidates did not fit, to be compared with all points.
struct LeftQueries {
  vertex_t* ids;
  vertex_t* places;
  int* count;
};

inline constexpr unsigned warps_of_rows = 4;

template <class T>
struct Neighbour {
  T key;
  vertex_t id;
  __device__ bool operator<(const Neighbour& other) const {
    return key != other.key ? key < other.key : id < other.id;
  }
};

/// Computes the keys of the candidates and writes the first ones in order, a warp for a query.
template <class T>
__global__ void write_nearest(Sides<T> sides, PanelOrder order_of_queries, PanelOrder order,
                              CandidateLists found, DeviceLists<T> lists, std::int64_t n_queries,
                              int length, LeftQueries left) {
  const unsigned warp = threadIdx.x / cuda::warp_lanes;
  const std::int64_t query = cuda::global_warp();
  if (query >= n_queries) return;
  const vertex_t id = order_of_queries.id(found.first_position + query);
  if (found.is_full(query)) {
    if (cuda::lane() != 0) return;
    const int at = atomicAdd(left.count, 1);
    left.ids[at] = id;
    left.places[at] = static_cast<vertex_t>(query);
    return;
  }
  auto* const nearest =
      cuda::dynamic_shared<Neighbour<T>>() + static_cast<std::int64_t>(warp) * found.size;
  const int count = found.count[query];
  for (int i = cuda::lane(); i < count; i += cuda::warp_lanes) {
    const vertex_t other = order.id(found.candidates[query * found.size + i].position);
    T sum = 0;
    for (int k = 0; k < sides.points.dimension; ++k) {
      SquaredDistances<T>::add(sum, sides.queries.at(id, k), sides.points.at(other, k));
    }
    nearest[i] = {sum, other};
  }
  __syncwarp();
  for (int i = cuda::lane(); i < count; i += cuda::warp_lanes) {
    const Neighbour<T> neighbour = nearest[i];
    int place = 0;
    for (int j = 0; j < count && place < length; ++j) place += nearest[j] < neighbour ? 1 : 0;
    if (place >= length) continue;
    lists.key[place * lists.stride + query] = neighbour.key;
    lists.neighbour[place * lists.stride + query] = neighbour.id;
  }
}

/// Writes the ids of the positions from the first one on.
__global__ void write_ids(PanelOrder order, vertex_t* ids) {
  const std::int64_t position = cuda::global_index();
  if (position < order.n) ids[position] = order.id(position);
}

/// Returns the number of points, a multiple of panel_width, whose candidates and lists are kept.
std::int64_t points_at_once(std::int64_t n, int length) {
  constexpr std::int64_t most_candidates = std::int64_t{1} << 25;
  const std::int64_t panels = most_candidates / products::list_size(length) / panel_width;
  return std::min(panels, (n + panel_width - 1) / panel_width) * panel_width;
}

/// The search for all queries, some at a time.
template <class T>
class ProductSlices {
 public:
  ProductSlices(const Sides<T>& sides, const OwnedPanels<T>& points, const Panels& queries,
                int length, const cuda::Stream& stream)
      : sides_(sides),
        points_(points.view()),
        queries_(queries),
        length_(length),
        stream_(stream),
        at_once_(points_at_once(queries.n_points, length)),
        candidates_(queries_, points_, points.scale().errors(), at_once_, length, stream),
        lists_(static_cast<vertex_t>(at_once_), length, stream),
        left_ids_(static_cast<std::size_t>(at_once_), stream),
        left_places_(static_cast<std::size_t>(at_once_), stream),
        n_left_(1, stream) {}

  static std::size_t bytes(std::size_t n, int length) {
    const auto most =
        static_cast<std::size_t>(points_at_once(static_cast<std::int64_t>(n), length));
    return CandidateSearch::bytes(most, length) +
           OwnedLists<T>::bytes(most, static_cast<std::size_t>(length)) +
           2 * most * sizeof(vertex_t);
  }

  /// Calls use(slice) for the lists of all queries, whose places are positions of their order.
  template <class Use>
  void run(Use&& use) const {
    const std::int64_t panels_at_once = at_once_ / panel_width;
    for (std::int64_t first = 0; first < queries_.n_panels; first += panels_at_once) {
      const std::int64_t last = std::min(first + panels_at_once, queries_.n_panels);
      const CandidateLists found = candidates_.run(first, last);
      const auto n_queries = static_cast<vertex_t>(std::min(last * panel_width, queries_.n_points) -
                                                   first * panel_width);
      DeviceLists<T> lists = lists_.view();
      lists.first_position = first * panel_width;
      write(found, lists, n_queries);
      use(Slice<T>{lists, n_queries, length_, true, length_ - 1});
    }
  }

 private:
  void write(const CandidateLists& found, const DeviceLists<T>& lists, vertex_t n_queries) const {
    cuda::fill_bytes(n_left_.data(), 0, 1, stream_);
    cuda::launch(stream_, (n_queries + warps_of_rows - 1) / warps_of_rows,
                 warps_of_rows * cuda::warp_lanes,
                 warps_of_rows * static_cast<std::size_t>(found.size) * sizeof(Neighbour<T>),
                 write_nearest<T>, sides_, queries_.order, points_.order, found, lists,
                 std::int64_t{n_queries}, length_,
                 LeftQueries{left_ids_.data(), left_places_.data(), n_left_.data()});
    Queries<PointRows<T>> left = sides_.rows(cuda::read_back(n_left_.data(), stream_));
    left.ids = left_ids_.data();
    left.places = left_places_.data();
    search_tiles_for(Sides<T>::rows_of(sides_.points), SquaredDistances<T>{}, left, lists, length_,
                     true, stream_);
  }

  Sides<T> sides_;
  Panels points_;
  Panels queries_;
  int length_;
  const cuda::Stream& stream_;
  std::int64_t at_once_;
  CandidateSearch candidates_;
  OwnedLists<T> lists_;
  cuda::DeviceBuffer<vertex_t> left_ids_;
  cuda::DeviceBuffer<vertex_t> left_places_;
  cuda::DeviceBuffer<int> n_left_;
};

/// Compares queries with all points, whose panels would be out of range.
template <class T>
void compare_all(const Sides<T>& sides, const KnnOptions& options, const NeighboursView& out,
                 const cuda::Stream& stream) {
  write_all_rows<T>(options, out, sides.queries.n, nullptr, stream,
                    [&](int length, bool, const auto& use) {
                      for_each_slice(Sides<T>::rows_of(sides.points), sides.rows(sides.queries.n),
                                     SquaredDistances<T>{}, length, true, stream, use);
                    });
}

}  // namespace

template <class T>
void search_products(const DevicePoints<T>& points, const KnnOptions& options,
                     const NeighboursView& out, const cuda::Stream& stream) {
  const Sides<T> sides{points, points, true};
  const OwnedPanels<T> panels(points, stream);
  if (!panels.scale().is_usable()) return compare_all(sides, options, out, stream);
  const cuda::DeviceBuffer<vertex_t> ids(static_cast<std::size_t>(points.n), stream);
  cuda::launch_for(stream, points.n, write_ids, panels.view().order, ids.data());
  write_all_rows<T>(options, out, points.n, ids.data(), stream,
                    [&](int length, bool, const auto& use) {
                      ProductSlices<T>(sides, panels, panels.view(), length, stream).run(use);
                    });
}

template <class T>
std::size_t products_bytes(std::size_t n, std::size_t dimension, int length) {
  return OwnedPanels<T>::bytes(n, dimension) + n * sizeof(vertex_t) +
         std::max(ProductSlices<T>::bytes(n, length), slice_bytes<T>(n, length));
}

template <class T>
void search_products_of_queries(const DevicePoints<T>& points, const DevicePoints<T>& queries,
                                const KnnOptions& options, const NeighboursView& out,
                                const cuda::Stream& stream) {
  const Sides<T> sides{points, queries, false};
  const OwnedPanels<T> panels(points, stream);
  if (!panels.scale().is_usable()) return compare_all(sides, options, out, stream);
  const OwnedPanels<T> of_queries(queries, panels.scale(), stream);
  write_all_rows<T>(options, out, queries.n, nullptr, stream,
                    [&](int length, bool, const auto& use) {
                      ProductSlices<T>(sides, panels, of_queries.view(), length, stream).run(use);
                    });
}

template <class T>
std::size_t products_of_queries_bytes(std::size_t n, std::size_t n_queries, std::size_t dimension,
                                      int length) {
  return OwnedPanels<T>::bytes(n, dimension) + OwnedPanels<T>::bytes(n_queries, dimension) +
         std::max(ProductSlices<T>::bytes(n_queries, length), slice_bytes<T>(n_queries, length));
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(search_products)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(products_bytes)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(search_products_of_queries)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(products_of_queries_bytes)

}  // namespace warpgraph::knn
