// Weak components on a team of CUDA devices: see afforest/team.cuh.
#include "algorithms/connected_components/afforest/team.cuh"
#include "algorithms/connected_components/team_labels.hpp"
#include "core/cuda/launch.cuh"
#include "graph/partition/device_partition.hpp"
#include "runtime/bulk_synchronous/team_kernel.cuh"

namespace warpgraph {
namespace {

using afforest::TeamComponents;
using afforest::TeamView;

constexpr unsigned block_threads = afforest::block_threads;
/// More than any device runs at a time.
constexpr std::int64_t most_blocks = 4096;

__global__ void __launch_bounds__(block_threads, afforest::blocks_per_multiprocessor)
    unite_sampled_rows(const __grid_constant__ TeamView team) {
  __shared__ afforest::Memory memory;
  TeamComponents(team, memory).unite_sampled_rows();
}

__global__ void __launch_bounds__(block_threads, afforest::blocks_per_multiprocessor)
    unite_all_rows(const __grid_constant__ TeamView team) {
  __shared__ afforest::Memory memory;
  TeamComponents(team, memory).unite_all_rows();
}

__global__ void __launch_bounds__(block_threads, afforest::blocks_per_multiprocessor)
    number_labels(const __grid_constant__ TeamView team) {
  __shared__ afforest::Memory memory;
  TeamComponents(team, memory).number_labels();
}

struct Arrays {
  afforest::View view;
  vertex_t* of_members;  // parents, or what has moved, of each member: n vertices after n
};

/// Takes the arrays of a member.
auto arrays_for(const DevicePartition& parts, vertex_t n_vertices) {
  return [&parts, n_vertices](int member, cuda::BumpAllocator& memory) {
    CsrPattern rows = parts.shape(member);
    rows.n_vertices = n_vertices;
    const auto n = static_cast<std::size_t>(n_vertices);
    Arrays made{afforest::take_search_arrays(rows, most_blocks, memory), nullptr};
    made.view.labels = memory.take<vertex_t>(n);
    made.of_members = memory.take<vertex_t>(n * parts.devices().size());
    return made;
  };
}

/// The kernels of a graph's members, and the memory that they share.
class TeamLabels {
 public:
  TeamLabels(DevicePartition& parts, vertex_t n_vertices, bool symmetric, runtime::DeviceTeam& team)
      : parts_(parts), n_(n_vertices), team_(team), arrays_(team, arrays_for(parts, n_vertices)) {
    for (int i = 0; i < team.size(); ++i) n_components_.emplace_back(1);
    for (int i = 0; i < team.size(); ++i) views_.push_back(view(i, symmetric));
  }

  /// Waits. Returns the number of components.
  vertex_t write(std::span<vertex_t> labels) const {
    const runtime::TeamWait wait(team_);
    team_.barrier();  // the memory of all is there
    team_.end_step("begin");
    run(unite_sampled_rows);
    team_.end_step("unite sampled rows");
    exchange();
    team_.end_step("barrier");
    run(unite_all_rows);
    team_.end_step("unite all rows");
    exchange();
    run(number_labels);
    team_.end_step("number labels");
    std::vector<runtime::ResultSlice<vertex_t>> slices;
    for (const TeamView& view : views_) {
      const std::int64_t first = std::min<std::int64_t>(view.first_word * cuda::warp_lanes, n_);
      const std::int64_t end = std::min<std::int64_t>(view.end_word * cuda::warp_lanes, n_);
      slices.push_back({view.own.labels + first, static_cast<std::size_t>(end - first)});
    }
    runtime::collect<vertex_t>(team_, slices, labels.data());
    team_.end_step("copy to the host");
    return *n_components_.front().data();
  }

 private:
  [[nodiscard]] TeamView view(int member, bool symmetric) {
    TeamView made{};
    const Arrays& own = arrays_[member];
    const auto place = [&](int of) { return std::int64_t{n_} * of; };
    made.own = own.view;
    made.own.graph = parts_.pattern(member);
    made.own.graph.n_vertices = n_;
    made.own.first_row = parts_.parts().begin(member);
    made.own.end_row = parts_.parts().end(member);
    made.own.symmetric = symmetric;
    made.own.n_components = n_components_[static_cast<std::size_t>(member)].data();
    made.member = member;
    made.n_members = team_.size();
    made.moved = own.of_members + place(member);
    for (int other = 0; other < team_.size(); ++other) {
      made.received[other] = own.of_members + place(other);
      made.moved_by[other] = made.received[other];
      if (other == member || !team_.shares_memory()) continue;
      vertex_t* const theirs = arrays_[other].of_members;
      made.shares[made.n_shares++] = theirs + place(member);
      made.moved_by[other] = theirs + place(other);
    }
    if (!team_.shares_memory()) made.shares[made.n_shares++] = made.moved;
    const std::int64_t words = afforest::n_words(n_);
    made.first_word = words * member / team_.size();
    made.end_word = words * (member + 1) / team_.size();
    return made;
  }

  /// A kernel on each member.
  void run(void (*kernel)(TeamView)) const {
    const std::int64_t useful =
        (std::int64_t{n_} + afforest::tile_vertices - 1) / afforest::tile_vertices;
    runtime::TeamKernel<TeamView>(team_, kernel, block_threads, std::min(useful, most_blocks))
        .launch(views_);
  }

  /// What a kernel has left for others is with them.
  void exchange() const {
    team_.barrier();
    if (team_.shares_memory()) return;
    team_.all_gather<vertex_t>(static_cast<std::size_t>(n_),
                               [&](int i) { return arrays_[i].of_members; });
    team_.barrier();
  }

  DevicePartition& parts_;
  const vertex_t n_;
  runtime::DeviceTeam& team_;
  const runtime::TeamArrays<Arrays> arrays_;
  // Kernels write the numbers to host memory.
  std::vector<cuda::PinnedBuffer<vertex_t>> n_components_;
  std::vector<TeamView> views_;
};

}  // namespace

vertex_t connected_components_on_devices(const CsrPattern& graph, bool symmetric,
                                         DevicePartition& parts, std::span<vertex_t> labels,
                                         std::size_t memory_limit) {
  if (labels.empty()) return 0;
  parts.require_memory(
      "labelling components of a part of the graph", with_weights<float>(graph, nullptr),
      [&](int part) {
        return runtime::TeamArrays<Arrays>::bytes(part, arrays_for(parts, graph.n_vertices));
      },
      memory_limit);
  runtime::DeviceTeam team(parts.devices());
  return TeamLabels(parts, graph.n_vertices, symmetric, team).write(labels);
}

}  // namespace warpgraph
