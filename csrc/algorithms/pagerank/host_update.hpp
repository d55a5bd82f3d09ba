// The update of consecutive vertices on a CPU core, several at a time: one at a time, it takes as
// long as the gathers of vertices with four arcs.
#pragma once

#include "algorithms/pagerank/sweep.hpp"
#include "core/processor/vectors.hpp"

#include <span>

namespace warpgraph::pagerank {

template <int bytes>
struct VectorLanes {
  using Number = typename VectorOf<double, bytes>::type;
  using Unaligned = typename VectorOf<double, bytes>::unaligned;
  static constexpr std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(double));
};

/// An update of the vertices first, first + 1, .., which have received these sums, for
/// with_widest_vectors.
struct UpdateRun {
  const Update& update;
  const SweepVectors& sweep;
  Totals& totals;
  std::int64_t first;
  std::span<const double> received;

  template <int bytes>
  [[gnu::always_inline]] void operator()() const {
    using Lanes = VectorLanes<bytes>;
    TotalsOf<Lanes> sums{};
    std::int64_t v = first;
    const double* sum = received.data();
    const std::int64_t last = first + static_cast<std::int64_t>(received.size());
    for (; v + Lanes::count <= last; v += Lanes::count, sum += Lanes::count) {
      VertexState<Lanes> state{};
      load<Lanes>(sum, state.received);
      load<Lanes>(sweep.before + v, state.before);
      load_weight_sums<Lanes>(v, state.weight_sum);
      load_distribution<Lanes>(update.dangling, v, state.dangling);
      load_distribution<Lanes>(update.personalization, v, state.personalization);
      if (sweep.omega != 1) load<Lanes>(sweep.after + v, state.older);
      typename Lanes::Number after;
      update.write_contribution(sums, state, sweep, after);
      *reinterpret_cast<typename Lanes::Unaligned*>(sweep.after + v) = after;
    }
    for (std::int64_t l = 0; l < Lanes::count; ++l) {
      totals.add(
          {{sums.change.high[l], sums.change.low[l]}, {sums.mass.high[l], sums.mass.low[l]}});
    }
    for (; v < last; ++v, ++sum) {
      const edge_t degree = update.weight_sums.offsets[v + 1] - update.weight_sums.offsets[v];
      update(totals, v, degree, update.load(v, sweep), *sum, sweep);
    }
  }

 private:
  template <class Lanes>
  [[gnu::always_inline]] static void load(const double* from, typename Lanes::Number& to) {
    to = *reinterpret_cast<const typename Lanes::Unaligned*>(from);
  }
  template <class Lanes>
  [[gnu::always_inline]] static void load_distribution(const Distribution& from, std::int64_t v,
                                                       typename Lanes::Number& to) {
    if (from.items == nullptr) {
      to = typename Lanes::Number{} + from.uniform;
    } else {
      load<Lanes>(from.items + v, to);
    }
  }
  template <class Lanes>
  [[gnu::always_inline]] void load_weight_sums(std::int64_t v, typename Lanes::Number& to) const {
    const WeightSums& from = update.weight_sums;
    if (from.items != nullptr) return load<Lanes>(from.items + v, to);
    typename Lanes::Number sums{};
    for (std::int64_t l = 0; l < Lanes::count; ++l) sums[l] = from[v + l];
    to = sums;
  }
};

}  // namespace warpgraph::pagerank
