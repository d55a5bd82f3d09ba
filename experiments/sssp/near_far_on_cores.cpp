#include "experiments/sssp/near_far_on_cores.hpp"

#include "algorithms/sssp/delta_stepping/parallel_bucket_search.hpp"
#include "algorithms/sssp/searches.hpp"

namespace warpgraph::experiments {
namespace {

using namespace shortest_paths;

/// The factor by which buckets are wider than those of delta-stepping. The list of far vertices is
/// scanned once per bucket, and wide buckets hold enough work for more threads: more threads than
/// `width_threads` do not widen them further.
constexpr double width_factor = 8;
constexpr int width_threads = 2;

/// The entries of all later buckets in one list, without order. The whole list is scanned when a
/// bucket is finished, so buckets must be wide.
template <class W>
class UnsortedList {
 public:
  void put(const Lowered<W>& entry, Bucket bucket, Bucket) {
    entries_.push(entry);
    first_ = std::min(first_, bucket);
  }

  void clear() {
    entries_.clear();
    first_ = no_bucket;
  }

  void release() { entries_.release(); }

  template <class PutAgain>
  void begin_round(Bucket current, Bucketing bucket_of, PutAgain&& put_again) {
    if (current < first_) return;
    first_ = no_bucket;
    Bucket first = no_bucket;  // in a register, unlike a member that put_again() may change
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < entries_.size(); ++i) {
      const Lowered<W> entry = entries_[i];
      const Bucket bucket = bucket_of(entry.distance);
      if (bucket <= current) {
        put_again(entry);
      } else {
        entries_[kept++] = entry;
        first = std::min(first, bucket);
      }
    }
    first_ = std::min(first_, first);
    entries_.shrink_to(kept);
  }

  [[nodiscard]] Bucket first(Bucket, Bucketing) const { return first_; }

  /// Returns an empty list: begin_round() passes the entries of the current bucket on.
  std::span<const Lowered<W>> publish(Bucket) { return {}; }

 private:
  GrowingList<Lowered<W>> entries_;
  Bucket first_ = no_bucket;
};

}  // namespace

template <class W>
void near_far_on_cores(const CsrView<W>& graph, vertex_t source, const SsspOptions<W>& options,
                       std::span<W> distances) {
  parallel_for(graph.n_vertices,
               [&](std::int64_t v) { distances[static_cast<std::size_t>(v)] = infinity<W>(); });
  distances[static_cast<std::size_t>(source)] = W{0};
  const int threads = threads_for(graph.n_arcs);
  const double width = width_factor * bucket_width(graph, std::min(threads, width_threads));
  const std::span<const vertex_t> sources(&source, 1);
  const bool fits_all =
      search_by_buckets<UnsortedList>(graph, sources, options, width, threads, distances);
  complete(graph, sources, options, fits_all, SsspResult<W>{distances, {}});
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(near_far_on_cores)

}  // namespace warpgraph::experiments
