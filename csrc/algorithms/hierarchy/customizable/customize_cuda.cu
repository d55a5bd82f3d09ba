// Customization on a GPU, level by level of the elimination tree. A group of lanes takes an arc of
// a vertex, and the pairs of it with the arcs to higher heads. In the basic pass atomic minima
// shorten the arcs between these heads, in the perfect pass the vertex's own: minima do not depend
// on an order, so lengths are those of the cores, bit for bit.
//
// Levels near the root have one vertex each, with arcs to hundreds of others, so a launch has work
// for many groups. The launches of a pass follow each other without a wait.
#include "algorithms/hierarchy/customizable/level_kernels.cuh"
#include "core/containers/at.hpp"
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/cub/scan.hpp"
#include "core/interrupt.hpp"

#include <bit>

namespace warpgraph {
namespace {

using namespace hierarchy_detail;

template <class T>
class DeviceCustomization {
  using Length = typename LengthOf<T>::Type;

 public:
  DeviceCustomization(const HierarchyStructure& host, const DeviceHierarchyStructure& structure,
                      const cuda::Stream& stream)
      : host_(host),
        structure_(structure),
        s_(structure.view()),
        stream_(stream),
        n_arcs_(s_.n_arcs),
        lengths_(at(2 * n_arcs_), stream),
        shorter_(at(2 * n_arcs_), stream) {}

  static std::size_t bytes_needed(const HierarchyStructure& s) {
    // Lengths before and after the perfect pass, and the hierarchy.
    return s.n_arcs() * 2 * (3 * sizeof(T) + sizeof(vertex_t)) +
           at(s.n_vertices) * 2 * (sizeof(edge_t) + sizeof(T));
  }

  template <class W>
  Customized<T> run(const CsrView<W>& graph, bool undirected) {
    cuda::fill(lengths_.data(), none, 2 * n_arcs_, stream_);
    cuda::for_each(stream_, graph.n_arcs,
                   TakeEdge<W, Length>{graph, s_.arc_of_edge, ways(lengths_)});
    return merges_ways(undirected) ? finish<true>() : finish<false>();
  }

 private:
  static constexpr Length none = static_cast<Length>(unreached<T>());

  TwoWays<Length> ways(const cuda::DeviceBuffer<Length>& of) const {
    return {of.data(), of.data() + n_arcs_};
  }

  /// Returns whether both ways of each arc have the length in `up`, which it makes so if edges may
  /// be walked both ways.
  bool merges_ways(bool undirected) {
    if (undirected) {
      cuda::for_each(stream_, n_arcs_, MergeWays<Length>{ways(lengths_)});
      return true;
    }
    const cuda::DeviceBuffer<std::int32_t> differ(1, stream_);
    cuda::fill_bytes(differ.data(), 0, 1, stream_);
    cuda::for_each(stream_, n_arcs_, CompareWays<Length>{ways(lengths_), differ.data()});
    return cuda::read_back(differ.data(), stream_) == 0;
  }

  /// Calls visit(level, lanes for a row of it) for levels with vertices, `upward` from the lowest.
  template <class Visit>
  void for_each_level(bool upward, const Visit& visit) {
    const std::size_t n = host_.level_starts.size() - 1;
    for (std::size_t i = 0; i < n; ++i) {
      poll();
      const std::size_t level = upward ? n - 1 - i : i;
      const std::int64_t n_vertices = host_.level_starts[level + 1] - host_.level_starts[level];
      const std::int64_t n_arcs = arc_start(level + 1) - arc_start(level);
      if (n_vertices != 0) visit(level, static_cast<std::uint64_t>(n_arcs / n_vertices));
    }
  }
  [[nodiscard]] std::int64_t arc_start(std::size_t level) const {
    return structure_.arc_starts()[level];
  }
  /// Returns the lanes of a group that visits as many items on average.
  static unsigned group_size(std::uint64_t items) {
    return static_cast<unsigned>(std::bit_floor(std::clamp<std::uint64_t>(items, 1, 32)));
  }

  /// Launches a kernel with a group of lanes for each arc of a level.
  template <class... Parameters, class... Arguments>
  void launch_for_arcs(std::size_t level, std::uint64_t row_length,
                       void (*kernel)(DeviceHierarchyStructureView, ArcsOfLevel, Parameters...),
                       Arguments... arguments) {
    // On average, half of a row comes after an arc.
    const ArcsOfLevel arcs{arc_start(level), arc_start(level + 1), group_size(row_length / 2)};
    cuda::launch_for(stream_, (arcs.last - arcs.first) * arcs.group_size, kernel, s_, arcs,
                     arguments...);
  }

  template <bool symmetric>
  Customized<T> finish() {
    const TwoWays<Length> lengths = ways(lengths_);
    const TwoWays<Length> shorter = ways(shorter_);
    const TwoWays<const Length> before{lengths.up, lengths.down};
    for_each_level(true, [&](std::size_t level, std::uint64_t row_length) {
      launch_for_arcs(level, row_length, shorten_between_heads<symmetric, Length>, lengths);
    });
    cuda::copy(shorter.up, lengths.up, at(symmetric ? n_arcs_ : 2 * n_arcs_), stream_);
    for_each_level(false, [&](std::size_t level, std::uint64_t row_length) {
      launch_for_arcs(level, row_length, shorten_own_arcs<symmetric, Length>, before, shorter);
    });
    Customized<T> made;
    made.hierarchy = without_arcs<T>(host_, symmetric);
    const double margin = margin_of(host_);
    const KeptArcs<Length> up{lengths.up, shorter.up, margin, none};
    if constexpr (symmetric) {
      const auto roots = take_rows(up, made.hierarchy.down);
      set_bound(made, host_.n_parts, roots, roots);
    } else {
      const auto down = take_rows({lengths.down, shorter.down, margin, none}, made.hierarchy.down);
      set_bound(made, host_.n_parts, down, take_rows(up, made.hierarchy.up));
    }
    return made;
  }

  /// Copies the arcs of one way that are kept to the host, by position.
  RootCount<Length> take_rows(const KeptArcs<Length>& kept, Csr<T>& rows) {
    const auto n = at(s_.n_vertices);
    const cuda::DeviceBuffer<Length> ways_to_roots(n, stream_);
    const cuda::DeviceBuffer<edge_t> offsets(n + 1, stream_);
    for_each_level(false, [&](std::size_t level, std::uint64_t row_length) {
      const std::int64_t first = host_.level_starts[level];
      const std::int64_t last = host_.level_starts[level + 1];
      const unsigned lanes = group_size(row_length);
      cuda::launch_for(stream_, (last - first) * lanes, count_kept<Length>, s_, first, last, lanes,
                       kept, offsets.data(), ways_to_roots.data());
    });
    cuda::fill_bytes(offsets.data() + n, 0, 1, stream_);
    cuda::exclusive_sum(offsets.data(), std::ssize(rows.offsets), stream_);
    const auto n_kept = at(cuda::read_back(offsets.data() + n, stream_));
    const cuda::DeviceBuffer<vertex_t> heads(n_kept, stream_);
    const cuda::DeviceBuffer<T> weights(n_kept, stream_);
    cuda::launch_for(stream_, std::int64_t{s_.n_vertices} * cuda::warp_lanes, copy_kept<T, Length>,
                     s_, kept, offsets.data(), heads.data(), weights.data());
    HostVector<Length> ways_on_host(n);
    rows.heads.resize(n_kept);
    rows.weights.resize(n_kept);
    cuda::CopyOut out;
    out.copy(rows.offsets.data(), offsets.data(), n + 1, stream_);
    out.copy(rows.heads.data(), heads.data(), n_kept, stream_);
    out.copy(rows.weights.data(), weights.data(), n_kept, stream_);
    out.copy(ways_on_host.data(), ways_to_roots.data(), n, stream_);
    out.finish();
    RootCount<Length> roots;
    for (std::size_t p = 0; p < n; ++p) {
      roots.add(rows.offsets[p + 1] - rows.offsets[p], ways_on_host[at(host_.ranks[p])]);
    }
    return roots;
  }

  const HierarchyStructure& host_;
  const DeviceHierarchyStructure& structure_;
  const DeviceHierarchyStructureView s_;
  const cuda::Stream& stream_;
  const std::int64_t n_arcs_;
  // Of both ways, one after the other.
  const cuda::DeviceBuffer<Length> lengths_;
  const cuda::DeviceBuffer<Length> shorter_;
};

}  // namespace

DeviceHierarchyStructure::DeviceHierarchyStructure(const HierarchyStructure& host,
                                                   const cuda::Stream& stream)
    : offsets_(cuda::to_device(std::span<const edge_t>(host.offsets), stream)),
      heads_(cuda::to_device(std::span<const vertex_t>(host.heads), stream)),
      triangle_starts_(cuda::to_device(std::span<const edge_t>(host.triangle_starts), stream)),
      places_(cuda::to_device(std::span<const std::uint16_t>(host.places), stream)),
      arc_of_edge_(cuda::to_device(std::span<const std::uint32_t>(host.arc_of_edge), stream)),
      ranks_(cuda::to_device(std::span<const vertex_t>(host.ranks), stream)),
      position_of_(cuda::to_device(std::span<const vertex_t>(host.position_of), stream)) {
  HostVector<std::uint32_t> arcs(host.n_arcs());
  HostVector<vertex_t> tails(host.n_arcs());
  HostVector<std::int64_t> starts(at(host.n_vertices) + 1);
  std::int64_t next = 0;
  for (std::size_t p = 0; p < at(host.n_vertices); ++p) {
    starts[p] = next;
    next += host.offsets[at(host.ranks[p]) + 1] - host.offsets[at(host.ranks[p])];
  }
  starts.back() = next;
  parallel_for(host.n_vertices, [&](std::int64_t p) {
    const vertex_t rank = host.ranks[at(p)];
    edge_t arc = host.offsets[at(rank)];
    for (std::int64_t i = starts[at(p)]; i < starts[at(p) + 1]; ++i, ++arc) {
      arcs[at(i)] = static_cast<std::uint32_t>(arc);
      tails[at(i)] = rank;
    }
  });
  for (const vertex_t start : host.level_starts) arc_starts_.push_back(starts[at(start)]);
  arcs_ = cuda::to_device(std::span<const std::uint32_t>(arcs), stream);
  tails_ = cuda::to_device(std::span<const vertex_t>(tails), stream);
}

std::size_t DeviceHierarchyStructure::bytes_needed(const HierarchyStructure& host) {
  return (host.n_arcs() * 3 + host.arc_of_edge.size() + 2 * at(host.n_vertices)) *
             sizeof(vertex_t) +
         2 * (at(host.n_vertices) + 1) * sizeof(edge_t) +
         host.places.size() * sizeof(host.places[0]);
}

template <class W>
AnyHierarchy customize_hierarchy_cuda(const HierarchyStructure& structure,
                                      const DeviceHierarchyStructure& on_device,
                                      const CsrView<W>& graph, const CsrView<W>& host,
                                      const CustomizeOptions& options, const cuda::Stream& stream) {
  return customize_in_narrowest_type(structure, host, [&]<class T>(T) {
    options.budget.on(stream.device())
        .require("customizing a hierarchy", DeviceCustomization<T>::bytes_needed(structure),
                 "use device=\"cpu\"");
    return DeviceCustomization<T>(structure, on_device, stream).run(graph, options.undirected);
  });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(customize_hierarchy_cuda)

}  // namespace warpgraph
