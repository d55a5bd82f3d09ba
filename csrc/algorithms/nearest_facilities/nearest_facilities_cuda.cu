// The labels of a vertex are the k first among its own, if it is a facility, and those of the tails
// of its entering arcs, extended by these arcs. A round computes the labels of marked vertices
// anew, and marks the heads of the leaving arcs of those whose labels have changed. The search ends
// when no vertex is marked. So no label stays that extends a label which was replaced later, and
// the labels are those of Dijkstra's algorithm, whatever the order of computation.
//
// Rounds compute near vertices first: those of whose labels one may change at a distance within a
// bound. When there are none left, the bound grows by a few weights, as in near_far.
//
// Where the sum of a distance and a weight rounds to the distance itself, labels of the same
// distance could extend each other around a cycle after the label that they came from has been
// replaced, even for ever. So labels that only support each other are looked for at the end, and
// now and then before it, and removed from all vertices at once. They do not come back when all
// labels that come before them are final, so the search ends.
#include "algorithms/nearest_facilities/label_support.cuh"
#include "core/containers/at.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/interrupt.hpp"
#include "graph/for_each_edge.cuh"

#include <algorithm>
#include <limits>

namespace warpgraph {
namespace {

using namespace nearest_facilities_detail;

/// The distance by which the bound grows, in mean weights. In wide buckets labels are replaced more
/// often, and narrow ones mean more rounds, of three launches and a wait each.
constexpr double mean_weights_per_bucket = 32;
/// The rounds after which a search of floats is interrupted to check whether labels only support
/// each other. A check takes less than a round of all vertices.
constexpr std::int64_t rounds_between_checks = 1 << 10;

template <class W>
class DeviceLabelSearch {
 public:
  DeviceLabelSearch(const CsrView<W>& leaving, const CsrView<W>& entering, std::int64_t k, W limit,
                    const cuda::Stream& stream)
      : stream_(stream),
        n_vertices_(leaving.n_vertices),
        n_slots_(k * leaving.n_vertices),
        distances_(at(2 * n_slots_), stream),
        facilities_(at(2 * n_slots_), stream),
        is_facility_(at(n_vertices_), stream),
        keys_(at(2 * n_vertices_), stream),
        queued_(at(n_vertices_), stream),
        flag_(1, stream),
        least_(1, stream),
        lists_(n_vertices_, stream),
        search_{leaving,
                entering,
                {distances_.data(), facilities_.data(), k},
                {distances_.data() + n_slots_, facilities_.data() + n_slots_, k},
                is_facility_.data(),
                keys_.data(),
                queued_.data(),
                keys_.data() + n_vertices_,
                limit,
                flag_.data()} {}

  static std::size_t bytes_needed(std::int64_t n_vertices, std::int64_t k) {
    const std::size_t of_label = sizeof(W) + sizeof(vertex_t);
    const std::size_t of_vertex = sizeof(std::uint8_t) + 2 * sizeof(W) + sizeof(std::int32_t) +
                                  sizeof(edge_t);  // of a list's degrees
    return at(2 * k * n_vertices) * of_label + at(n_vertices) * of_vertex +
           cuda::WorklistPair<vertex_t>::bytes(n_vertices);
  }

  /// Finds the labels; `mean_weight` sets the width of buckets.
  void run(std::span<const vertex_t> facilities, double mean_weight) {
    cuda::fill(distances_.data(), infinity<W>(), n_slots_, stream_);
    cuda::fill(facilities_.data(), no_vertex, n_slots_, stream_);
    cuda::fill(keys_.data(), infinity<W>(), n_vertices_, stream_);
    cuda::fill_bytes(is_facility_.data(), 0, is_facility_.size(), stream_);
    cuda::fill_bytes(queued_.data(), 0, queued_.size(), stream_);
    cuda::fill_bytes(flag_.data(), 0, 1, stream_);
    const auto own = cuda::to_device(facilities, stream_);
    cuda::for_each(stream_, std::ssize(facilities),
                   BeginAt<W>{own.data(), is_facility_.data(), keys_.data()});
    bool is_done = false;
    while (!is_done) {
      const bool has_converged = search(mean_weights_per_bucket * mean_weight);
      is_done = !removes_unsupported() && has_converged;
    }
  }

  /// Copies the labels to the host.
  void copy_to(const NearestFacilities<W>& result) const {
    cuda::CopyOut out;
    out.copy(result.distances.data(), distances_.data(), at(n_slots_), stream_);
    out.copy(result.facilities.data(), facilities_.data(), at(n_slots_), stream_);
    out.finish();
  }

  /// Returns the flag. After a search of integers, it says whether one may have overflowed.
  [[nodiscard]] bool has_flag() const { return cuda::read_back(flag_.data(), stream_) != 0; }

 private:
  /// Computes labels until no vertex is marked. Returns false if it ends before that, to look for
  /// labels that have no support. Marked vertices are still marked then, by their keys.
  bool search(double width) {
    std::int64_t n_rounds = 0;
    for (;;) {
      const W least = least_key();
      if (least == infinity<W>()) return true;
      const double end = static_cast<double>(least) + width;
      constexpr auto most = static_cast<double>(std::numeric_limits<W>::max());
      const W bound = end < most ? std::max(least, static_cast<W>(end)) : infinity<W>();
      cuda::for_each(stream_, n_vertices_, ListNear<W>{search_, bound, lists_.next().view()});
      lists_.flip(stream_);
      while (const std::int64_t n = lists_.current().size(stream_)) {
        poll();
        compute(n);
        mark_heads(n, bound);
        lists_.flip(stream_);
        if (std::is_integral_v<W> || ++n_rounds < rounds_between_checks) continue;
        // Empties both lists. Keys tell later which vertices were in them.
        lists_.flip(stream_);
        lists_.next().reset(stream_);
        lists_.current().reset(stream_);
        cuda::fill_bytes(queued_.data(), 0, queued_.size(), stream_);
        return false;
      }
    }
  }

  W least_key() {
    cuda::fill(least_.data(), infinity<W>(), 1, stream_);
    cuda::launch_for(stream_, n_vertices_, find_least_key<W>, keys_.data(), n_vertices_,
                     least_.data());
    return cuda::read_back(least_.data(), stream_);
  }

  /// Computes the labels of the n vertices in the current list, each by a group of about as many
  /// lanes as a vertex has arcs.
  void compute(std::int64_t n) {
    constexpr int few = 4;
    const vertex_t* const listed = lists_.current().data();
    if (search_.entering.has_low_degree()) {
      cuda::launch_for(stream_, n * few, compute_listed<W, few>, search_, listed, n);
    } else {
      cuda::launch_for(stream_, n * cuda::warp_lanes, compute_listed<W, cuda::warp_lanes>, search_,
                       listed, n);
    }
    cuda::for_each(stream_, n * search_.labels.k, TakeOver<W>{search_, listed});
  }

  /// Marks the heads of the arcs that leave the n vertices in the current list.
  void mark_heads(std::int64_t n, W bound) {
    cuda::for_each_edge(stream_, search_.leaving, cuda::VertexList{lists_.current().data(), n},
                        cuda::mapping_for(search_.leaving),
                        MarkHead<W>{search_, bound, lists_.next().view()});
  }

  /// Removes labels that only support each other, and marks vertices whose labels may change by
  /// this. Returns whether there were any.
  bool removes_unsupported() {
    if constexpr (std::is_floating_point_v<W>) {
      const cuda::AllVertices all{n_vertices_};
      cuda::fill_bytes(flag_.data(), 0, 1, stream_);
      cuda::for_each_edge(stream_, search_.leaving, all, cuda::mapping_for(search_.leaving),
                          FindVanishing<W>{search_});
      if (!has_flag()) return false;
      std::int32_t* const supported = search_.computed.facilities;
      cuda::for_each(stream_, n_vertices_, MarkFacilities<W>{search_, supported});
      do {
        poll();
        cuda::fill_bytes(flag_.data(), 0, 1, stream_);
        cuda::for_each_edge(stream_, search_.entering, all, cuda::mapping_for(search_.entering),
                            MarkSupported<W>{search_, supported});
      } while (has_flag());
      cuda::for_each(stream_, n_vertices_,
                     RemoveUnsupported<W>{search_, supported, lists_.next().view()});
      lists_.flip(stream_);
      const std::int64_t n = lists_.current().size(stream_);
      constexpr W nothing_is_near{-1};
      if (n != 0) mark_heads(n, nothing_is_near);
      return n != 0;
    }
    return false;
  }

  const cuda::Stream& stream_;
  const vertex_t n_vertices_;
  const std::int64_t n_slots_;
  const cuda::DeviceBuffer<W> distances_;  // of all labels, then of those that a round computes
  const cuda::DeviceBuffer<vertex_t> facilities_;
  const cuda::DeviceBuffer<std::uint8_t> is_facility_;
  const cuda::DeviceBuffer<W> keys_;  // SearchView's keys, then its changes
  const cuda::DeviceBuffer<std::int32_t> queued_;
  const cuda::DeviceBuffer<std::int32_t> flag_;
  const cuda::DeviceBuffer<W> least_;
  cuda::WorklistPair<vertex_t> lists_;
  const SearchView<W> search_;
};

}  // namespace

template <class W>
void nearest_facilities_cuda(const EnteringAndLeaving<W>& graph, const CsrView<W>& host,
                             std::span<const vertex_t> facilities,
                             const NearestFacilitiesOptions<W>& options,
                             const NearestFacilities<W>& result, const cuda::Stream& stream) {
  options.budget.on(stream.device())
      .require("searching from the facilities",
               DeviceLabelSearch<W>::bytes_needed(host.n_vertices, options.k),
               "ask for a narrower dtype or a smaller k");
  DeviceLabelSearch<W> search(graph.leaving, graph.entering, options.k, options.limit, stream);
  search.run(facilities, shortest_paths::trimmed_mean_weight(host));
  search.copy_to(result);
  if (std::is_integral_v<W> && options.limit == infinity<W>() && search.has_flag()) {
    nearest_facilities_detail::check_overflow_of_labels(host, options.k, result);
  }
  const std::int64_t n_slots = options.k * host.n_vertices;
  report_progress(n_slots, n_slots);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(nearest_facilities_cuda)

}  // namespace warpgraph
