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
using products::ScatteredOrder;

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
__global__ void write_nearest(DevicePoints<T> points, ScatteredOrder order, CandidateLists found,
                              DeviceLists<T> lists, std::int64_t n_queries, int length,
                              LeftQueries left) {
  const unsigned warp = threadIdx.x / cuda::warp_lanes;
  const std::int64_t query = cuda::global_warp();
  if (query >= n_queries) return;
  const vertex_t id = order.id(found.first_position + query);
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
    for (int k = 0; k < points.dimension; ++k) {
      SquaredDistances<T>::add(sum, points.at(id, k), points.at(other, k));
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
__global__ void write_ids(ScatteredOrder order, vertex_t* ids) {
  const std::int64_t position = cuda::global_index();
  if (position < order.n) ids[position] = order.id(position);
}

/// Returns the number of points, a multiple of panel_width, whose candidates and lists are kept.
std::int64_t points_at_once(std::int64_t n, int length) {
  constexpr std::int64_t most_candidates = std::int64_t{1} << 25;
  const std::int64_t panels = most_candidates / products::list_size(length) / panel_width;
  return std::min(panels, (n + panel_width - 1) / panel_width) * panel_width;
}

/// Finds the neighbours of points whose panels are out of range.
template <class T, class Use>
void compare_all(const DevicePoints<T>& points, int length, const cuda::Stream& stream, Use&& use) {
  for_each_slice(PointRows<T>{points.coordinates, points.n, points.dimension},
                 SquaredDistances<T>{}, length, true, stream, use);
}

template <class T>
class ProductSlices {
 public:
  ProductSlices(const DevicePoints<T>& points, const OwnedPanels<T>& panels, int length,
                const cuda::Stream& stream)
      : points_(points),
        panels_(panels.view()),
        length_(length),
        stream_(stream),
        at_once_(points_at_once(points.n, length)),
        candidates_(panels_, panels.scale().errors(), at_once_, length, stream),
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

  /// Calls use(slice) for the lists of all points, whose places are positions of the panels' order.
  template <class Use>
  void run(Use&& use) const {
    const std::int64_t panels_at_once = at_once_ / panel_width;
    for (std::int64_t first = 0; first < panels_.n_panels; first += panels_at_once) {
      const std::int64_t last = std::min(first + panels_at_once, panels_.n_panels);
      const CandidateLists found = candidates_.run(first, last);
      const auto n_queries = static_cast<vertex_t>(std::min(last * panel_width, panels_.n_points) -
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
                 write_nearest<T>, points_, panels_.order, found, lists, std::int64_t{n_queries},
                 length_, LeftQueries{left_ids_.data(), left_places_.data(), n_left_.data()});
    const int n_left = cuda::read_back(n_left_.data(), stream_);
    search_tiles_for(PointRows<T>{points_.coordinates, points_.n, points_.dimension},
                     SquaredDistances<T>{}, {0, n_left, left_ids_.data(), left_places_.data()},
                     lists, length_, true, stream_);
  }

  DevicePoints<T> points_;
  products::Panels panels_;
  int length_;
  const cuda::Stream& stream_;
  std::int64_t at_once_;
  CandidateSearch candidates_;
  OwnedLists<T> lists_;
  cuda::DeviceBuffer<vertex_t> left_ids_;
  cuda::DeviceBuffer<vertex_t> left_places_;
  cuda::DeviceBuffer<int> n_left_;
};

}  // namespace

template <class T>
void search_products(const DevicePoints<T>& points, const KnnOptions& options,
                     const NeighboursView& out, const cuda::Stream& stream) {
  const OwnedPanels<T> panels(points, stream);
  if (!panels.scale().is_usable()) {
    write_all_rows<T>(
        options, out, points.n, nullptr, stream,
        [&](int length, bool, const auto& use) { compare_all(points, length, stream, use); });
    return;
  }
  const cuda::DeviceBuffer<vertex_t> ids(static_cast<std::size_t>(points.n), stream);
  cuda::launch_for(stream, points.n, write_ids, panels.view().order, ids.data());
  write_all_rows<T>(options, out, points.n, ids.data(), stream,
                    [&](int length, bool, const auto& use) {
                      ProductSlices<T>(points, panels, length, stream).run(use);
                    });
}

template <class T>
std::size_t products_bytes(std::size_t n, std::size_t dimension, int length) {
  return OwnedPanels<T>::bytes(n, dimension) + n * sizeof(vertex_t) +
         std::max(ProductSlices<T>::bytes(n, length), slice_bytes<T>(n, length));
}

WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(search_products)
WARPGRAPH_INSTANTIATE_FOR_EACH_FLOAT(products_bytes)

}  // namespace warpgraph::knn
