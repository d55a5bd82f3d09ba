#include "algorithms/nearest_facilities/nearest_facilities.hpp"
#include "core/containers/at.hpp"
#include "core/containers/heap.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/threads/parallel.hpp"
#include "primitives/relaxation/relax.hpp"
#include "primitives/search/dijkstra_search.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace warpgraph {
namespace {

template <class W>
class LabelSearch {
 public:
  LabelSearch(const CsrView<W>& graph, const NearestFacilitiesOptions<W>& options,
              const NearestFacilities<W>& result)
      : graph_(graph),
        k_(options.k),
        limit_(options.limit),
        distances_(result.distances.data()),
        facilities_(result.facilities.data()),
        heap_(static_cast<vertex_t>(result.distances.size())),
        farthest_(at(graph.n_vertices), infinity<W>()) {
    // The pages of a large result are mapped here, by all threads, which check for Ctrl-C.
    parallel_for(std::ssize(result.distances), [&](std::int64_t slot) {
      distances_[slot] = infinity<W>();
      facilities_[slot] = no_vertex;
    });
  }

  static std::size_t bytes_needed(const CsrPattern& graph, std::int64_t n_slots) {
    return at(graph.n_vertices) * sizeof(W) +
           RadixHeap<W>::bytes_needed(static_cast<vertex_t>(n_slots));
  }

  void run(std::span<const vertex_t> facilities) {
    for (const vertex_t facility : facilities) offer(facility, {W{0}, facility});
    const std::int64_t n_slots = k_ * graph_.n_vertices;
    for (std::int64_t visits = 0; !heap_.empty(); ++visits) {
      if (visits % shortest_paths::vertices_between_polls == 0) {
        report_progress(std::min(visits, n_slots - 1), n_slots);
      }
      const auto [from, slot] = heap_.pop();
      if (distances_[slot] < from) continue;  // a nearer facility has taken the place
      relax(static_cast<vertex_t>(slot / k_), {from, facilities_[slot]});
    }
    if (overflows_ && limit_ == infinity<W>()) check_overflow();
    sort_labels();
    report_progress(n_slots, n_slots);
  }

 private:
  struct Label {
    W distance;
    vertex_t facility;
    friend bool operator<(const Label& a, const Label& b) {
      return a.distance < b.distance || (a.distance == b.distance && a.facility < b.facility);
    }
  };

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

  [[nodiscard]] bool has_place_for(vertex_t v, vertex_t facility) const {
    const std::int64_t first = first_slot(v);
    const auto* const own = facilities_ + first;
    const bool knows = std::find(own, own + k_, facility) != own + k_;
    return !knows && std::find(own, own + k_, no_vertex) != own + k_;
  }

  /// Throws if a label was left out because its distance does not fit W.
  void check_overflow() const {
    for (vertex_t u = 0; u < graph_.n_vertices; ++u) {
      poll();
      for (std::int64_t slot = first_slot(u); slot < first_slot(u) + k_; ++slot) {
        const auto [from, facility] = label(slot);
        if (from == infinity<W>()) continue;
        shortest_paths::for_each_arc_of(graph_, u, [&, d = from, f = facility](vertex_t v, W w) {
          if (w == infinity<W>() || extend(d, w) != infinity<W>() || !has_place_for(v, f)) return;
          throw std::overflow_error(concat("the distance ", d, " of vertex ", u, " and the weight ",
                                           w, " of entry (", u, ", ", v,
                                           ") add up beyond the range of the distances' type; ask "
                                           "for a wider dtype"));
        });
      }
    }
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
  RadixHeap<W> heap_;       // of the places of labels
  HostVector<W> farthest_;  // the distance of each vertex's last label; infinite: there is place
  bool overflows_ = false;  // an integer
};

}  // namespace

template <class W>
void nearest_facilities_cpu(const CsrView<W>& graph, std::span<const vertex_t> facilities,
                            const NearestFacilitiesOptions<W>& options,
                            const NearestFacilities<W>& result) {
  const std::int64_t n_slots = options.k * graph.n_vertices;
  MemoryBudget(Device{}, options.memory_limit)
      .require("searching from the facilities", LabelSearch<W>::bytes_needed(graph, n_slots),
               "ask for a narrower dtype or a smaller k");
  LabelSearch<W>(graph, options, result).run(facilities);
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(nearest_facilities_cpu)

}  // namespace warpgraph
