#include "algorithms/nearest_facilities/labels.hpp"
#include "algorithms/nearest_facilities/nearest_facilities.hpp"
#include "core/containers/at.hpp"
#include "core/containers/heap.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "core/threads/parallel.hpp"
#include "graph/checks/entry_errors.hpp"
#include "primitives/relaxation/relax.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace warpgraph {
namespace {

/// The places of labels of the distance that was popped last, by their facilities. They matter
/// where a weight is so small beside the distance that a sum rounds to it: a label then extends one
/// of the same distance. In this order it is final when it is popped, so that no other label has
/// extended one that it replaces.
class EqualLabels {
 public:
  struct Entry {
    vertex_t facility;
    vertex_t slot;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  explicit EqualLabels(std::size_t n_slots) : entries_(capacity(n_slots)) {}
  static std::size_t bytes_needed(std::size_t n_slots) { return capacity(n_slots) * sizeof(Entry); }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Adds the place of a label. An entry of another facility than the place has is outdated.
  void add(Entry entry, const vertex_t* facilities) {
    if (size_ == entries_.size()) drop_outdated(facilities);
    entries_[size_++] = entry;
    std::push_heap(entries_.begin(), end(), is_later);
  }
  Entry pop() {
    std::pop_heap(entries_.begin(), end(), is_later);
    return entries_[--size_];
  }

 private:
  /// Returns the room for entries: each place has one that is neither outdated nor there twice.
  static std::size_t capacity(std::size_t n_slots) { return n_slots + n_slots / 4 + 64; }
  static bool is_later(const Entry& a, const Entry& b) { return b.facility < a.facility; }
  [[nodiscard]] HostVector<Entry>::iterator end() {
    return entries_.begin() + static_cast<std::ptrdiff_t>(size_);
  }
  void drop_outdated(const vertex_t* facilities) {
    const auto is_outdated = [facilities](const Entry& entry) {
      return facilities[entry.slot] != entry.facility;
    };
    const auto last = std::remove_if(entries_.begin(), end(), is_outdated);
    std::sort(entries_.begin(), last);  // in an order that is a heap's, too
    size_ = at(std::unique(entries_.begin(), last) - entries_.begin());
  }

  HostVector<Entry> entries_;
  std::size_t size_ = 0;
};

template <class W>
class LabelSearch {
  using Label = nearest_facilities_detail::Label<W>;

 public:
  LabelSearch(const CsrView<W>& graph, const NearestFacilitiesOptions<W>& options,
              const NearestFacilities<W>& result)
      : graph_(graph),
        k_(options.k),
        limit_(options.limit),
        distances_(result.distances.data()),
        facilities_(result.facilities.data()),
        heap_(static_cast<vertex_t>(result.distances.size())),
        least_weight_(std::is_integral_v<W> ? W{1} : least_weight(graph)),
        equal_(std::is_integral_v<W> ? 0 : at(std::ssize(result.distances))),
        farthest_(at(graph.n_vertices), infinity<W>()) {
    // The pages of a large result are mapped here, by all threads, which check for Ctrl-C.
    parallel_for(std::ssize(result.distances), [&](std::int64_t slot) {
      distances_[slot] = infinity<W>();
      facilities_[slot] = no_vertex;
    });
  }

  static std::size_t bytes_needed(const CsrPattern& graph, std::int64_t n_slots) {
    return at(graph.n_vertices) * sizeof(W) +
           RadixHeap<W>::bytes_needed(static_cast<vertex_t>(n_slots)) +
           (std::is_integral_v<W> ? 0 : EqualLabels::bytes_needed(at(n_slots)));
  }

  void run(std::span<const vertex_t> facilities) {
    for (const vertex_t facility : facilities) offer(facility, {W{0}, facility});
    const std::int64_t n_slots = k_ * graph_.n_vertices;
    for (std::int64_t visits = 0; !heap_.empty() || !equal_.empty(); ++visits) {
      if (visits % shortest_paths::vertices_between_polls == 0) {
        report_progress(std::min(visits, n_slots - 1), n_slots);
      }
      const std::int64_t slot = next_slot();
      if (slot < 0) continue;
      relax(static_cast<vertex_t>(slot / k_), label(slot));
    }
    sort_labels();
    if (overflows_ && limit_ == infinity<W>()) {
      nearest_facilities_detail::check_overflow_of_labels<W>(
          graph_, k_, {{distances_, at(n_slots)}, {facilities_, at(n_slots)}});
    }
    report_progress(n_slots, n_slots);
  }

 private:
  static W least_weight(const CsrView<W>& graph) {
    if (graph.weights == nullptr) return W{1};
    const W* const weights = graph.weights;
    return parallel_reduce(
        graph.n_arcs, infinity<W>(), [weights](std::int64_t e) { return weights[e]; },
        [](W a, W b) { return std::min(a, b); });
  }

  /// Returns the place of a label that is final; -1 if a nearer one has taken the place.
  std::int64_t next_slot() {
    if (equal_.empty()) {
      const auto [from, slot] = heap_.pop();
      if (distances_[slot] < from) return -1;
      if (from < from + least_weight_) return slot;
      equal_.add({facilities_[slot], slot}, facilities_);
    }
    while (heap_.has_more_of_key()) {
      const auto [from, slot] = heap_.pop();
      if (!(distances_[slot] < from)) equal_.add({facilities_[slot], slot}, facilities_);
    }
    const auto [facility, slot] = equal_.pop();
    return facilities_[slot] == facility ? slot : -1;
  }

  [[nodiscard]] std::int64_t first_slot(vertex_t v) const { return k_ * v; }
  [[nodiscard]] Label label(std::int64_t slot) const {
    return {distances_[slot], facilities_[slot]};
  }

  void relax(vertex_t u, const Label& from) {
    shortest_paths::for_each_arc_of(graph_, u, [&](vertex_t v, W weight) {
      const W through = extend(from.distance, weight);
      if (through == infinity<W>()) {
        overflows_ = overflows_ || (std::is_integral_v<W> && weight != infinity<W>());
      } else if (!(limit_ < through)) {
        offer(v, {through, from.facility});
      }
    });
  }

  /// Gives v a label in the place of its last one, or of a longer one of the same facility, if it
  /// comes before that.
  void offer(vertex_t v, const Label& offered) {
    if (farthest_[at(v)] < offered.distance) return;
    const std::int64_t first = first_slot(v);
    std::int64_t last = first;
    for (std::int64_t slot = first; slot < first + k_; ++slot) {
      if (facilities_[slot] == offered.facility) {
        last = slot;
        break;
      }
      if (label(last) < label(slot)) last = slot;
    }
    if (!(offered < label(last))) return;
    distances_[last] = offered.distance;
    facilities_[last] = offered.facility;
    farthest_[at(v)] = *std::max_element(distances_ + first, distances_ + first + k_);
    heap_.push(static_cast<vertex_t>(last), offered.distance, distances_);
  }

  void sort_labels() {
    std::vector<Label> own(at(k_));
    for (vertex_t v = 0; v < graph_.n_vertices; ++v) {
      poll();
      const std::int64_t first = first_slot(v);
      for (std::int64_t i = 0; i < k_; ++i) own[at(i)] = label(first + i);
      std::sort(own.begin(), own.end());
      for (std::int64_t i = 0; i < k_; ++i) {
        distances_[first + i] = own[at(i)].distance;
        facilities_[first + i] = own[at(i)].facility;
      }
    }
  }

  const CsrView<W> graph_;
  const std::int64_t k_;
  const W limit_;
  W* const distances_;
  vertex_t* const facilities_;
  RadixHeap<W> heap_;     // of the places of labels
  const W least_weight_;  // 1 if sums of the type are exact
  EqualLabels equal_;
  HostVector<W> farthest_;  // the distance of each vertex's last label; infinite: there is place
  bool overflows_ = false;  // an integer
};

}  // namespace

namespace nearest_facilities_detail {

template <class W>
void check_overflow_of_labels(const CsrView<W>& graph, std::int64_t k,
                              const NearestFacilities<W>& found) {
  const auto labels_of = [k](auto labels, vertex_t v) { return labels.subspan(at(k * v), at(k)); };
  const auto has_place_for = [&](vertex_t v, vertex_t facility) {
    const std::span<const vertex_t> own = labels_of(found.facilities, v);
    return own.back() == no_vertex && std::ranges::find(own, facility) == own.end();
  };
  for (vertex_t u = 0; u < graph.n_vertices; ++u) {
    poll();
    for (std::int64_t slot = k * u; slot < k * (u + 1); ++slot) {
      const W from = found.distances[at(slot)];
      const vertex_t facility = found.facilities[at(slot)];
      if (from == infinity<W>()) continue;
      for (edge_t e = graph.begin(u); e < graph.end(u); ++e) {
        const vertex_t v = graph.heads[e];
        const W w = shortest_paths::weight_of(graph, e);
        if (w == infinity<W>() || extend(from, w) != infinity<W>() || !has_place_for(v, facility))
          continue;
        throw SumOverflow(from, w, e, {u, v}, "ask for a wider dtype");
      }
    }
  }
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(check_overflow_of_labels)

}  // namespace nearest_facilities_detail

template <class W>
MemoryNeed need_of_nearest_facilities(const CsrPattern& graph, std::int64_t k) {
  return {"searching from the facilities",
          LabelSearch<W>::bytes_needed(graph, k * graph.n_vertices),
          "ask for a narrower dtype or a smaller k"};
}

template <class W>
void nearest_facilities_cpu(const CsrView<W>& graph, std::span<const vertex_t> facilities,
                            const NearestFacilitiesOptions<W>& options,
                            const NearestFacilities<W>& result) {
  options.budget.require(need_of_nearest_facilities<W>(graph, options.k));
  LabelSearch<W>(graph, options, result).run(facilities);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(need_of_nearest_facilities)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(nearest_facilities_cpu)

}  // namespace warpgraph
