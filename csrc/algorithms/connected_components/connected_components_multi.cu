// Weak components on a team of CUDA devices: see afforest/team.cuh.
#include "algorithms/connected_components/afforest/team.cuh"
#include "algorithms/connected_components/team_labels.hpp"
#include "core/containers/at.hpp"
#include "core/cuda/launch.cuh"
#include "graph/partition/device_partition.hpp"
#include "runtime/bulk_synchronous/team_kernel.cuh"

#include <numeric>

namespace warpgraph {
namespace {

using afforest::Outbox;
using afforest::Pair;
using afforest::TeamComponents;
using afforest::TeamView;

constexpr unsigned block_threads = afforest::block_threads;
/// The most blocks of a kernel: more than any device runs at a time.
constexpr std::int64_t max_blocks = 4096;

template <auto step, class... Arguments>
__global__ void __launch_bounds__(block_threads, afforest::blocks_per_multiprocessor)
    run_step(const __grid_constant__ TeamView team, Arguments... arguments) {
  __shared__ afforest::Memory memory;
  (TeamComponents(team, memory).*step)(arguments...);
}

struct Arrays {
  afforest::View view;
  Outbox outboxes[max_parts];  // its own, and those received if memory is not shared
};

Outbox take_outbox(vertex_t n_vertices, cuda::BumpAllocator& memory) {
  Outbox made{};
  made.giant = memory.take<std::uint32_t>(at(afforest::n_words(n_vertices)));
  made.giant_root = memory.take<vertex_t>(1);
  made.pairs = memory.take<Pair>(at(n_vertices));
  made.n_pairs = memory.take<unsigned long long>(2);
  return made;
}

/// Returns a function that takes the arrays of a member.
auto arrays_for(const DevicePartition& parts, vertex_t n_vertices, bool shares_memory) {
  return [&parts, n_vertices, shares_memory](int member, cuda::BumpAllocator& memory) {
    CsrPattern rows = parts.shape(member);
    rows.n_vertices = n_vertices;
    Arrays made{afforest::take_search_arrays(rows, max_blocks, memory), {}};
    made.view.labels = memory.take<vertex_t>(at(n_vertices));
    for (int other = 0; other < parts.parts().n_parts; ++other) {
      if (other != member && shares_memory) continue;
      made.outboxes[other] = take_outbox(n_vertices, memory);
    }
    return made;
  };
}

/// Returns a function that returns the items of a member's slice, of which each word has
/// `items_per_word`.
auto slices_of(vertex_t n_vertices, int n_members, std::int64_t items_per_word) {
  return [=](int member) -> runtime::ItemRange {
    const std::int64_t all = items_per_word == 1 ? afforest::n_words(n_vertices) : n_vertices;
    const afforest::WordSlice slice = afforest::slice_of(member, n_members, n_vertices);
    const std::int64_t first = std::min(slice.first * items_per_word, all);
    return {first, at(std::min(slice.end * items_per_word, all) - first)};
  };
}

/// The kernels of a graph's members, and the memory that they share.
class TeamLabels {
 public:
  TeamLabels(DevicePartition& parts, vertex_t n_vertices, bool symmetric, vertex_t hub,
             runtime::DeviceTeam& team)
      : parts_(parts),
        n_(n_vertices),
        team_(team),
        arrays_(team, arrays_for(parts, n_, team.shares_memory())),
        n_roots_(at(team.size())) {
    for (int i = 0; i < team.size(); ++i) {
      views_.push_back(view(i, symmetric));
      if (hub != no_vertex) set_hub(hub, views_.back());
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
      send_slices([&](int i) { return arrays_[i].view.giant; }, 1);
      run<&TeamComponents::unite_all_rows>("unite all rows");
      send_pairs(afforest::all_rows);
    }
    run<&TeamComponents::number_slice>("number roots");
    send_slices([&](int i) { return arrays_[i].view.labels; }, cuda::warp_lanes);
    run<&TeamComponents::write_slice>("write labels");
    runtime::collect(
        team_, slices_of(n_, team_.size(), cuda::warp_lanes),
        [&](int i) { return arrays_[i].view.labels; }, labels.data());
    team_.end_step("copy to the host");
    return std::accumulate(n_roots_.data(), n_roots_.data() + n_roots_.size(), vertex_t{0});
  }

 private:
  [[nodiscard]] TeamView view(int member, bool symmetric) {
    TeamView made{};
    const Arrays& own = arrays_[member];
    made.own = own.view;
    made.own.graph = parts_.pattern(member);
    made.own.graph.n_vertices = n_;
    made.own.first_row = parts_.parts().begin(member);
    made.own.end_row = parts_.parts().end(member);
    made.own.symmetric = symmetric;
    made.own.n_components = n_roots_.data() + member;
    made.n_roots = n_roots_.data();
    made.member = member;
    made.n_members = team_.size();
    made.parts = parts_.parts();
    for (int i = 0; i < team_.size(); ++i) {
      const Arrays& readable = arrays_[team_.shares_memory() ? i : member];
      made.outboxes[i] = readable.outboxes[i];
      made.labels[i] = readable.view.labels;
      if (i == member || team_.shares_memory()) made.giants[i] = arrays_[i].view.giant;
    }
    return made;
  }

  void set_hub(vertex_t hub, TeamView& view) const {
    const int owner = parts_.parts().owner(hub);
    view.own.hub = hub;
    view.rows_with_hub = parts_.pattern(owner);
    view.first_with_hub = parts_.parts().begin(owner);
  }

  /// Grows the giant component from the hub. Returns false if the graph has no hub or that of a
  /// small component, or members cannot read the memory of others.
  [[nodiscard]] bool grow_giant() const {
    if (views_[0].own.hub == no_vertex || !team_.shares_memory()) return false;
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
        team_, [&](int i) { return arrays_[i].view.n_left + pass; });
    return std::accumulate(left.begin(), left.end(), 0ULL);
  }

  /// Runs a kernel on each member, and a barrier.
  template <auto step, class... Arguments>
  void run(const char* name, Arguments... arguments) const {
    const std::int64_t useful =
        (std::int64_t{n_} + afforest::tile_vertices - 1) / afforest::tile_vertices;
    runtime::TeamKernel<TeamView, Arguments...>(team_, run_step<step, Arguments...>, block_threads,
                                                std::min(useful, max_blocks))
        .launch(views_, arguments...);
    team_.barrier();
    team_.end_step(name);
  }

  /// Sends the outboxes to the other members, unless they can read them where they are.
  void send_pairs(afforest::PairsOf which) const {
    if (team_.shares_memory()) return;
    team_.for_each([&](int i, const cuda::Stream& stream) {
      const Outbox& own = arrays_[i].outboxes[i];
      const auto n_pairs = cuda::read_back(own.n_pairs + which, stream);
      for (int other = 0; other < team_.size(); ++other) {
        if (other == i) continue;
        const Outbox& received = arrays_[other].outboxes[i];
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
    team_.all_gather(slices_of(n_, team_.size(), items_per_word), array_of);
    team_.barrier();
  }

  DevicePartition& parts_;
  const vertex_t n_;
  runtime::DeviceTeam& team_;
  const runtime::TeamArrays<Arrays> arrays_;
  // Kernels write the number of roots in each slice to host memory, and read it there.
  cuda::PinnedBuffer<vertex_t> n_roots_;
  std::vector<TeamView> views_;
};

}  // namespace

vertex_t connected_components_on_devices(const CsrPattern& graph, bool symmetric, vertex_t hub,
                                         DevicePartition& parts, std::span<vertex_t> labels,
                                         MemoryBudget budget) {
  if (labels.empty()) return 0;
  runtime::DeviceTeam team(parts.devices());
  parts.require_memory(
      "labelling components of a part of the graph", with_weights<float>(graph, nullptr),
      [&](int part) {
        return runtime::TeamArrays<Arrays>::bytes(
            part, arrays_for(parts, graph.n_vertices, team.shares_memory()));
      },
      budget);
  return TeamLabels(parts, graph.n_vertices, symmetric, hub, team).write(labels);
}

}  // namespace warpgraph
