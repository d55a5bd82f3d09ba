// Weak components on a team of CUDA devices: see afforest/team.cuh.
#include "algorithms/connected_components/afforest/team_arrays.cuh"
#include "algorithms/connected_components/team_labels.hpp"
#include "runtime/bulk_synchronous/team_step.cuh"

#include <numeric>

namespace warpgraph {
namespace {

using afforest::Outbox;
using afforest::TeamComponents;
using afforest::TeamView;

/// The members of a team, and the steps that label a graph.
class TeamLabels {
 public:
  TeamLabels(DevicePartition& parts, vertex_t n_vertices, bool symmetric, vertex_t hub,
             runtime::DeviceTeam& team)
      : n_(n_vertices),
        hub_(hub),
        team_(team),
        members_(team, afforest::arrays_for(parts, n_, team.shares_memory())),
        n_roots_(at(team.size())) {
    afforest::connect_members(members_.all(), parts, hub, team.shares_memory());
    for (TeamView& view : members_.all()) {
      view.own.symmetric = symmetric;
      view.own.n_components = n_roots_.data() + view.member;
      view.n_roots = n_roots_.data();
    }
  }

  /// Writes the labels and returns the number of components. Waits.
  vertex_t write(std::span<vertex_t> labels) const {
    const runtime::TeamWait wait(team_);
    team_.barrier();  // the memory of all is there
    team_.end_step("begin");
    if (grow_giant()) {
      run<&TeamComponents::unite_grown>("unite rows");
    } else {
      run<&TeamComponents::unite_sampled_rows>("unite sampled rows");
      send_pairs(afforest::sampled_rows);
      run<&TeamComponents::merge_sets>("merge sets");
      send_slices([&](int i) { return members_[i].own.giant; }, 1);
      run<&TeamComponents::unite_all_rows>("unite all rows");
      send_pairs(afforest::all_rows);
    }
    run<&TeamComponents::number_slice>("number roots");
    const auto labels_of = [&](int i) { return members_[i].own.labels; };
    send_slices(labels_of, cuda::warp_lanes);
    run<&TeamComponents::write_slice>("write labels");
    runtime::collect(team_, afforest::slices_of(n_, team_.size(), cuda::warp_lanes), labels_of,
                     labels.data());
    team_.end_step("copy to the host");
    return std::accumulate(n_roots_.data(), n_roots_.data() + n_roots_.size(), vertex_t{0});
  }

 private:
  /// Grows the giant component from the hub. Returns false if the graph has no hub or that of a
  /// small component, or members cannot read the memory of others.
  [[nodiscard]] bool grow_giant() const {
    if (hub_ == no_vertex || !team_.shares_memory()) return false;
    auto left = static_cast<unsigned long long>(n_);
    for (int pass = 0; pass < afforest::max_passes; ++pass) {
      run<&TeamComponents::grow>("grow", pass);
      // The second pass is launched before it is known what the first one has left.
      if (pass == 0) continue;
      const unsigned long long before = left;
      left = n_left_after(pass);
      if (!afforest::gains_by_pass(left, before, n_)) break;
    }
    return afforest::is_giant_found(left, n_);
  }

  /// Waits for a pass and returns the number of vertices that it has left.
  [[nodiscard]] unsigned long long n_left_after(int pass) const {
    const auto left = runtime::read_back<unsigned long long>(
        team_, [&](int i) { return members_[i].own.n_left + pass; });
    return std::accumulate(left.begin(), left.end(), 0ULL);
  }

  /// Runs a step on all members, with at most a block for each tile.
  template <auto step, class... Arguments>
  void run(const char* name, Arguments... arguments) const {
    const std::int64_t tiles =
        (std::int64_t{n_} + afforest::tile_vertices - 1) / afforest::tile_vertices;
    runtime::TeamStep<TeamView, Arguments...>(team_, afforest::run_step<step, Arguments...>,
                                              afforest::block_threads,
                                              std::min(tiles, afforest::max_blocks))
        .run(members_.all(), arguments...);
    team_.end_step(name);
  }

  /// Sends the outboxes to the other members, unless they can read them where they are.
  void send_pairs(afforest::PairsOf which) const {
    if (team_.shares_memory()) return;
    team_.for_each([&](int i, const cuda::Stream& stream) {
      const Outbox& own = members_[i].outboxes[i];
      const auto n_pairs = cuda::read_back(own.n_pairs + which, stream);
      for (int other = 0; other < team_.size(); ++other) {
        if (other == i) continue;
        const Outbox& received = members_[other].outboxes[i];
        cuda::copy(received.giant, own.giant, at(afforest::n_words(n_)), stream);
        cuda::copy(received.giant_root, own.giant_root, 1, stream);
        cuda::copy(received.pairs, own.pairs, static_cast<std::size_t>(n_pairs), stream);
        cuda::copy(received.n_pairs, own.n_pairs, 2, stream);
      }
    });
    team_.barrier();
  }

  /// Sends the other members what each has written of its slice, unless they can read it there.
  template <class ArrayOf>
  void send_slices(const ArrayOf& array_of, std::int64_t items_per_word) const {
    if (team_.shares_memory()) return;
    team_.all_gather(afforest::slices_of(n_, team_.size(), items_per_word), array_of);
    team_.barrier();
  }

  const vertex_t n_;
  const vertex_t hub_;
  runtime::DeviceTeam& team_;
  runtime::TeamArrays<TeamView> members_;
  // Kernels write the number of roots in each slice to host memory, and read it there.
  const cuda::PinnedBuffer<vertex_t> n_roots_;
};

}  // namespace

vertex_t connected_components_on_devices(const CsrPattern& graph, bool symmetric, vertex_t hub,
                                         DevicePartition& parts, std::span<vertex_t> labels,
                                         MemoryBudget budget) {
  if (labels.empty()) return 0;
  runtime::DeviceTeam team(parts.devices());
  const auto arrays = afforest::arrays_for(parts, graph.n_vertices, team.shares_memory());
  parts.require_memory(
      "labelling components of a part of the graph", with_weights<float>(graph, nullptr),
      [&](int part) { return runtime::TeamArrays<TeamView>::bytes(part, arrays); }, budget);
  return TeamLabels(parts, graph.n_vertices, symmetric, hub, team).write(labels);
}

}  // namespace warpgraph
