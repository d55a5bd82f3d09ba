// What is known of a graph, found on first use and kept with it.
#pragma once

#include "core/containers/made_once.hpp"
#include "core/types.hpp"
#include "graph/csr.hpp"
#include "plan/facts.hpp"
#include "plan/model/learnt.hpp"
#include "primitives/distance_bounds/weight_summary.hpp"
#include "warpgraph/client.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

namespace warpgraph {

/// A fact that is found once.
template <class T>
class Fact {
 public:
  /// Returns the fact, which find() returns the first time. Other threads wait meanwhile, so that
  /// they must not hold locks of the client.
  template <class Find>
  T get(Find&& find) {
    if (const T* const known = made_.if_made()) return *known;
    return made_.with([&] { return std::make_unique<T>(find()); }, [](const T& it) { return it; });
  }
  [[nodiscard]] std::optional<T> if_known() const noexcept {
    const T* const known = made_.if_made();
    return known == nullptr ? std::nullopt : std::optional<T>(*known);
  }

 private:
  MadeOnce<T> made_;
};

/// Returns the fact, without waiting if it is known.
template <class T, class Find>
T find_once(Fact<T>& fact, Find&& find) {
  if (const std::optional<T> known = fact.if_known()) return *known;
  return run_as_call([&] { return fact.get(find); });
}

/// Facts that depend on the structure alone, which graphs of the same structure share.
struct StructureFacts {
  Fact<bool> is_checked;             // the heads are vertices
  Fact<vertex_t> widest;             // max_degree_vertex()
  Fact<bool> is_mirrored;            // is_symmetric() of the pattern
  Fact<plan::Depth> depth_from_hub;  // of a search from `widest`
  Fact<double> levels;               // estimate_levels()
  Fact<Locality> locality;
  Fact<shortest_paths::WeightSummary> summary_of_ones;  // where every arc weighs 1
};

/// Facts about the weights that were set first, which are those of the caller.
struct WeightFacts {
  Fact<bool> is_checked;  // none is NaN
  Fact<UnusualWeights> unusual;
  Fact<edge_t> not_positive;                    // first_not_positive()
  Fact<shortest_paths::WeightSummary> summary;  // summarise_numbers()
  Fact<bool> is_mirrored;                       // is_symmetric()
  std::atomic<unsigned> edge_lists{0};          // see plan::Facts: a bit for each size of a number
  std::atomic<int> n_directed_searches{0};      // see plan::Facts
  std::atomic<int> n_gathers{0};                // see plan::Facts
  plan::Learnt learnt;
};

}  // namespace warpgraph
