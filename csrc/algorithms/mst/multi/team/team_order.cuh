// Kruskal's order of the edges that the members of a team have chosen, by sorting samples [1]:
// ranks of some edges divide all of them into ranges of about the same size. Each member moves its
// edges to the ranges, gets those of its own range from all others, and sorts them. Edges with the
// same key come in the order of the members, which is that of their positions.
//
// Of four H100s, the slowest takes 3.3 ms for 33 M edges of an R-MAT graph, where one took 7.
//
// [1] Frazer, McKellar: Samplesort: a sampling approach to minimal storage tree sorting. Journal of
//     the ACM 17, 1970.
#pragma once

#include "algorithms/mst/multi/team/edge_ranges.cuh"
#include "algorithms/mst/multi/team/member_positions.cuh"
#include "core/containers/at.hpp"
#include "core/memory/memory_budget.hpp"
#include "runtime/bulk_synchronous/device_team.hpp"
#include "runtime/worklist/shares.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace warpgraph::mst {

template <class Bits>
class TeamOrder {
 public:
  /// The arrays of each member, on its device.
  using Edges = std::deque<EdgeArrays<Bits>>;

  TeamOrder(const MstOptions& options, const std::vector<Device>& devices,
            runtime::DeviceTeam& team)
      : options_(options), devices_(devices), team_(team) {}

  /// Sorts the edges that members have found among their rows, of which the first entry is
  /// first_entries[i]. Those of each member come before those of the next one. Waits.
  Edges put_in_order(const std::vector<KeyedBits<Bits>>& rows,
                     const std::vector<edge_t>& first_entries,
                     const std::vector<MemberPositions>& found) const {
    const BitOrder<Bits>& weights = rows.front().order;
    Edges edges;
    for (int i = 0; i < team_.size(); ++i) {
      edges.push_back(look_up(rows[at(i)], first_entries[at(i)], found[at(i)], i));
    }
    team_.end_step("look up edges");
    const Splitters<Key> splitters = choose_splitters(edges, weights);
    const std::size_t n_begins = at(splitters.n) + 2;
    const cuda::PinnedBuffer<std::int64_t> begins(n_begins * edges.size());
    Edges divided;
    Edges received;
    const runtime::TeamWait wait(team_);
    for (int i = 0; i < team_.size(); ++i) {
      divided.push_back(in_ranges(edges[at(i)], splitters, weights,
                                  begins.data() + at(i) * n_begins, team_.stream(i)));
    }
    team_.barrier();
    team_.synchronize();
    edges.clear();
    Edges ordered;
    for (int range = 0; range <= splitters.n; ++range) {
      received.push_back(receive(divided, begins.data() + range, n_begins, range));
      ordered.push_back(in_order(received.back(), weights, team_.stream(range)));
    }
    team_.end_step("order");
    return ordered;
  }

 private:
  using Key = Bits;

  /// The number of edges from which on members share the work: sorting fewer takes a few launches.
  static constexpr std::int64_t worth_dividing = std::int64_t{1} << 12;
  static constexpr std::int64_t n_samples = 4096;

  void require_memory(int member, std::int64_t n_edges) const {
    const Device device = devices_[at(member)];
    runtime::share_of_budget(devices_, device, options_.budget)
        .on(device)
        .require("storing the edges of a spanning forest",
                 static_cast<std::size_t>(n_edges) * EdgeArrays<Bits>::bytes_to_order,
                 "pass more devices");
  }

  EdgeArrays<Bits> look_up(const CsrView<Bits>& rows, edge_t first, const MemberPositions& found,
                           int member) const {
    require_memory(member, found.n);
    EdgeArrays<Bits> made(found.n, team_.stream(member));
    cuda::launch_for(team_.stream(member), found.n, look_up_member_edges<Bits>, rows, first,
                     found.items.data(), found.n, made.ends.data(), made.weights.data(),
                     made.positions.data());
    return made;
  }

  /// Returns the splitters; none if one member is to get all edges. Waits.
  Splitters<Key> choose_splitters(const Edges& edges, const BitOrder<Bits>& weights) const {
    std::int64_t n = 0;
    for (const EdgeArrays<Bits>& part : edges) n += part.size();
    Splitters<Key> chosen{};
    if (n < worth_dividing) return chosen;
    const cuda::PinnedBuffer<Rank<Key>> samples(n_samples);
    const runtime::TeamWait wait(team_);
    std::deque<cuda::DeviceBuffer<Rank<Key>>> sampled;
    std::int64_t n_sampled = 0;
    for (int i = 0; i < team_.size(); ++i) {
      const EdgeArrays<Bits>& part = edges[at(i)];
      const cuda::Stream& stream = team_.stream(i);
      const std::int64_t n_here = n_samples * part.size() / n;
      const Rank<Key>* const ranks = sampled.emplace_back(n_here, stream).data();
      cuda::launch_for(stream, n_here, sample_ranks<Bits>, part.keyed(weights),
                       part.positions.data(), part.size(), sampled.back().data(), n_here);
      cuda::copy(samples.data() + n_sampled, ranks, static_cast<std::size_t>(n_here), stream);
      n_sampled += n_here;
    }
    team_.synchronize();
    std::sort(samples.data(), samples.data() + n_sampled);
    while (chosen.n < team_.size() - 1) {
      chosen.ranks[chosen.n] = samples[at(chosen.n + 1) * n_sampled / at(team_.size())];
      ++chosen.n;
    }
    return chosen;
  }

  /// Returns what all members have of a range. It begins at begins[i * stride] for member i and
  /// ends at the next item.
  EdgeArrays<Bits> receive(const Edges& divided, const std::int64_t* begins, std::size_t stride,
                           int range) const {
    const cuda::Stream& stream = team_.stream(range);
    std::int64_t n = 0;
    for (std::size_t i = 0; i < divided.size(); ++i) {
      n += begins[i * stride + 1] - begins[i * stride];
    }
    require_memory(range, n);
    EdgeArrays<Bits> made(n, stream);
    std::size_t done = 0;
    for (std::size_t i = 0; i < divided.size(); ++i) {
      const auto first = static_cast<std::size_t>(begins[i * stride]);
      const auto size = static_cast<std::size_t>(begins[i * stride + 1]) - first;
      const EdgeArrays<Bits>& from = divided[i];
      cuda::copy(made.ends.data() + 2 * done, from.ends.data() + 2 * first, 2 * size, stream);
      cuda::copy(made.weights.data() + done, from.weights.data() + first, size, stream);
      cuda::copy(made.positions.data() + done, from.positions.data() + first, size, stream);
      done += size;
    }
    return made;
  }

  const MstOptions& options_;
  const std::vector<Device>& devices_;
  runtime::DeviceTeam& team_;
};

}  // namespace warpgraph::mst
