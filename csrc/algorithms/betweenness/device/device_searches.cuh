// Searches from all sources on a device, batch by batch. Private to betweenness.
#pragma once

#include "algorithms/betweenness/device/add_dependencies.cuh"
#include "algorithms/betweenness/device/count_by_length.cuh"
#include "algorithms/betweenness/device/count_in_order.cuh"
#include "algorithms/betweenness/path_counts.hpp"
#include "algorithms/many_to_many/many_to_many.hpp"
#include "core/cuda/for_each.cuh"
#include "core/error.hpp"
#include "core/function_ref.hpp"
#include "core/memory/memory_budget.hpp"
#include "core/polls_only.hpp"
#include "graph/device_csr.hpp"
#include "graph/for_each_edge.cuh"
#include "graph/symmetry/symmetry.hpp"
#include "primitives/graph_shape.hpp"

#include <cmath>
#include <optional>

namespace warpgraph::betweenness {

inline constexpr std::string_view advice_on_device_memory =
    "use device=\"cpu\", or clear() graphs that are no longer needed";

inline std::size_t bytes_of_pattern(const CsrPattern& graph) {
  return (static_cast<std::size_t>(graph.n_vertices) + 1) * sizeof(edge_t) +
         static_cast<std::size_t>(graph.n_arcs) * sizeof(vertex_t);
}

/// A graph with simple rows; without weights, arcs have length 1.
template <class W>
struct SearchedGraph {
  CsrView<W> host;
  CsrView<W> on_device;
  FunctionRef<bool()> is_mirrored;
};

/// Reaches the sources of a batch.
struct StartSearches {
  BatchView view;
  const vertex_t* sources;
  const std::uint32_t* places;  // of their first chunks, and the number of all chunks
  std::uint32_t n_searches;

  __device__ void operator()(std::int64_t i) const {
    const auto search = static_cast<std::uint32_t>(i);
    const vertex_t source = sources[search];
    const std::int64_t at = view.at(search, source);
    view.levels[at] = 0;
    view.counts[at] = 1;
    view.exponents[at] = 0;
    view.places[at] = places[search];
    for (std::uint32_t place = places[search]; place < places[search + 1]; ++place) {
      view.queue[place] = SearchChunk::of(source, search, place - places[search]);
    }
    if (search == 0) view.level_sizes[0] = places[n_searches];
  }
};

/// The number of sources of a batch.
class BatchSize {
 public:
  BatchSize(const CsrPattern& graph, bool has_lengths, std::size_t most, std::int64_t blocks)
      : most_(static_cast<double>(most)),
        enough_(static_cast<double>(blocks) * chunks_a_block),
        least_(has_lengths ? sources_by_length : cached_bytes / (bytes_cached * graph.n_vertices)),
        // Until a batch has told: roads are as wide as long.
        wanted_(graph.has_low_degree() ? enough_ / std::sqrt(graph.n_vertices) : 0) {}

  [[nodiscard]] std::size_t of(std::size_t n_left) const {
    const double wanted = std::clamp(std::max(wanted_, least_), 1.0, most_);
    const auto n_batches =
        static_cast<std::size_t>(std::ceil(static_cast<double>(n_left) / std::floor(wanted)));
    return (n_left + n_batches - 1) / n_batches;
  }
  /// Learns how many chunks the levels of a batch had.
  void note(std::size_t n_searches, std::int64_t n_chunks, vertex_t n_levels) {
    const double width = static_cast<double>(n_chunks) / static_cast<double>(n_levels);
    wanted_ = enough_ * static_cast<double>(n_searches) / width;
  }

 private:
  /// Chunks of a level for each block, with which barriers take a small part of the time.
  static constexpr double chunks_a_block = 256;
  /// Bytes of a search that are read at random, and those of all that a device's cache may hold.
  static constexpr double bytes_cached = sizeof(vertex_t) + sizeof(double);
  static constexpr double cached_bytes = 32e6;
  /// Sources from which distances are found at once.
  static constexpr double sources_by_length = 512;

  double most_;
  double enough_;
  double least_;
  double wanted_;
};

/// Searches by hops if Tight is TightHops, else by lengths.
template <bool of_arcs, class Tight>
class DeviceSearches {
 public:
  using W = typename Tight::Weight;

  DeviceSearches(const SearchedGraph<W>& graph, W limit, const BetweennessOptions& options,
                 const cuda::Stream& stream)
      : graph_(graph),
        limit_(limit),
        options_(options),
        stream_(stream),
        ends_(options.targets, graph.host.n_vertices),
        n_sums_(of_arcs ? static_cast<std::size_t>(graph.host.n_arcs)
                        : static_cast<std::size_t>(graph.host.n_vertices)),
        last_level_(1) {
    require_memory();
    sums_ = cuda::DeviceBuffer<FixedPointSum>(n_sums_, stream);
    cuda::fill_bytes(sums_.data(), 0, n_sums_, stream);
    is_end_ = cuda::to_device(ends_.flags(), stream);
    way_.has_long_rows = graph.host.n_vertices > 0 &&
                         graph.host.degree(max_degree_vertex(graph.host)) > segment_values;
    view_.graph = graph.on_device;
    view_.limit = graph.host.n_vertices;
    if constexpr (!Tight::have_lengths)
      view_.limit = static_cast<vertex_t>(std::min<W>(limit, view_.limit));
    view_.last_level = last_level_.data();
  }

  void run() {
    const auto n_sources = options_.sources.size();
    BatchSize size(graph_.host, Tight::have_lengths, most_searches_, most_blocks());
    for (std::size_t done = 0; done < n_sources;) {
      report_progress(static_cast<std::int64_t>(done), static_cast<std::int64_t>(n_sources));
      const std::size_t n = size.of(n_sources - done);
      search(options_.sources.subspan(done, n));
      size.note(n, std::int64_t{deepest_.first} + deepest_.size, deepest_.level + 1);
      done += n;
    }
    report_progress(static_cast<std::int64_t>(n_sources), static_cast<std::int64_t>(n_sources));
  }

  /// Returns the sums of all sources. Waits.
  [[nodiscard]] HostVector<FixedPointSum> sums() const {
    return cuda::to_host<HostVector<FixedPointSum>>(sums_.data(), n_sums_, stream_);
  }

 private:
  /// Returns an upper bound on the chunks of the rows of all vertices.
  [[nodiscard]] std::size_t max_chunks() const {
    return static_cast<std::size_t>(graph_.host.n_vertices + graph_.host.n_arcs / segment_values);
  }

  void require_memory() {
    taken_ = n_sums_ * sizeof(FixedPointSum) + ends_.flags().size();
    if (options_.directed) {  // all arcs reversed
      taken_ += bytes_of_pattern(graph_.host);
      if (Tight::have_lengths) taken_ += static_cast<std::size_t>(graph_.host.n_arcs) * sizeof(W);
    }
    const MemoryBudget budget = options_.budget.on(stream_.device());
    const std::size_t beside = taken_ + bytes_of_distances();
    budget.require("betweenness centrality", beside + bytes_of_searches(1),
                   advice_on_device_memory);
    const std::size_t left = budget.available() - beside;
    constexpr std::size_t most_chunks = std::size_t{1} << 31;  // places have 32 bits
    most_searches_ = std::min(std::size_t{SearchChunk::max_searches},
                              std::max(most_chunks / max_chunks(), std::size_t{1}));
    while (most_searches_ > 1 && bytes_of_searches(most_searches_) > left) --most_searches_;
  }
  [[nodiscard]] std::size_t bytes_of_searches(std::size_t n_searches) {
    cuda::BumpAllocator sizes;
    take_arrays(n_searches, sizes);
    return sizes.bytes();
  }

  /// Returns the least bytes that the search for distances takes beside them.
  [[nodiscard]] std::size_t bytes_of_distances() const {
    if constexpr (Tight::have_lengths) {
      // Few sources are searched from by another method than many.
      const auto bytes_of = [&](std::size_t n) {
        return many_to_many_bytes_cuda<W>(graph_.host, options_.sources.first(n),
                                          options_of_distances(), distances_result(), stream_);
      };
      const std::size_t most{SearchChunk::max_searches};
      return std::max(bytes_of(1), bytes_of(std::min(options_.sources.size(), most)));
    } else {
      return 0;
    }
  }
  [[nodiscard]] ManyToManyOptions<W> options_of_distances() const {
    ManyToManyOptions<W> options;
    options.method = ManyToManyMethod::batched;
    options.limit = limit_;
    options.budget = options_.budget.after(taken_ + memory_.bytes());
    return options;
  }
  [[nodiscard]] ManyToManyResult<W> distances_result() const {
    return {distances_, graph_.host.n_vertices, nullptr, true};
  }

  /// Places the arrays of so many searches.
  void take_arrays(std::size_t n_searches, cuda::BumpAllocator& memory) {
    const auto n_vertices = static_cast<std::size_t>(graph_.host.n_vertices);
    const std::size_t n = n_searches * n_vertices;
    const std::size_t n_chunks = n_searches * max_chunks();
    view_.levels = memory.take<vertex_t>(n);
    view_.counts = memory.take<double>(n);
    view_.exponents = memory.take<std::int32_t>(n);
    view_.queue = memory.take<SearchChunk>(n_chunks);
    view_.level_sizes = memory.take<std::uint32_t>(n_vertices + 2);
    view_.findings = memory.take<BatchFindings>(1);
    view_.block_claims = memory.take<std::uint32_t>(static_cast<std::size_t>(most_blocks()));
    sources_ = memory.take<vertex_t>(n_searches);
    starts_ = memory.take<std::uint32_t>(n_searches + 1);
    n_ends_ = memory.take<std::uint32_t>(n_searches);
    view_.ends_left = memory.take<vertex_t>(n_searches);
    view_.last_levels = memory.take<vertex_t>(n_searches);
    if (Tight::have_lengths) {
      distances_ = memory.take<W>(n);
      farthest_ = memory.take<long long>(n_searches);
    }
    // Claims end before parts begin, and places before sums.
    view_.parts = memory.take<double>(n_chunks);
    view_.claims = reinterpret_cast<std::uint32_t*>(view_.parts);
    view_.segment_sums = memory.take<double>(n_chunks);
    view_.places = reinterpret_cast<std::uint32_t*>(view_.segment_sums);
    view_.first_tails = view_.places + n;
  }

  template <class... Parameters>
  [[nodiscard]] std::int64_t blocks(void (*kernel)(Parameters...)) const {
    return cuda::resident_blocks(stream_, kernel, batch_threads, 0);
  }
  [[nodiscard]] std::int64_t most_blocks() const { return blocks(count_paths_in_order); }

  [[nodiscard]] Tight tight() const {
    if constexpr (Tight::have_lengths) {
      return {distances_, graph_.on_device.weights};
    } else {
      return {view_.levels};
    }
  }

  /// Adds the dependencies of a batch of sources.
  void search(std::span<const vertex_t> sources) {
    n_searches_ = static_cast<std::uint32_t>(sources.size());
    if (sources.size() > n_allocated_) allocate(sources.size());
    if constexpr (Tight::have_lengths) {
      PollsOnly polls;
      const ScopedHooks hooks(polls);
      many_to_many_cuda<W>(graph_.on_device, graph_.host, sources, options_of_distances(),
                           distances_result(), stream_);
    }
    if (!in_order_ && !count_as_they_come(sources)) in_order_ = true;
    bool is_long = false;
    if (in_order_) {
      count_in_order(sources);
      is_long = cuda::read_back(view_.findings, stream_).is_long != 0;
    }
    is_long ? go_back<true>() : go_back<false>();
  }

  void allocate(std::size_t n_searches) {
    memory_ = {};
    memory_ = cuda::DeviceBuffer<std::byte>(bytes_of_searches(n_searches), stream_);
    cuda::BumpAllocator memory(memory_.data());
    take_arrays(n_searches, memory);
    n_allocated_ = n_searches;
  }

  [[nodiscard]] std::size_t n_items() const {
    return std::size_t{n_searches_} * static_cast<std::size_t>(graph_.host.n_vertices);
  }

  /// Reaches the sources.
  void start(std::span<const vertex_t> sources) {
    std::vector<std::uint32_t> starts{0};
    std::vector<vertex_t> ends_left;
    std::vector<vertex_t> last_levels;
    for (const vertex_t source : sources) {
      starts.push_back(starts.back() + SearchChunk::number(graph_.host.degree(source)));
      // Searches by length know where they end.
      const bool counts_ends = !ends_.are_all() && !Tight::have_lengths;
      ends_left.push_back(counts_ends ? ends_.number_beside(source) : infinity<vertex_t>());
      last_levels.push_back(ends_left.back() == 0 ? 0 : infinity<vertex_t>());
    }
    const BatchFindings findings;
    view_.is_end = ends_.are_all() ? nullptr : is_end_.data();
    cuda::Upload upload;
    upload.copy(sources_, sources.data(), sources.size(), stream_);
    upload.copy(starts_, starts.data(), starts.size(), stream_);
    upload.copy(view_.ends_left, ends_left.data(), ends_left.size(), stream_);
    upload.copy(view_.last_levels, last_levels.data(), last_levels.size(), stream_);
    upload.copy(view_.findings, &findings, 1, stream_);
    upload.finish();
    cuda::fill_bytes(view_.levels, Tight::have_lengths ? 0 : 0xff, n_items(), stream_);
    cuda::fill_bytes(view_.counts, 0, n_items(), stream_);
    cuda::fill_bytes(view_.level_sizes, 0, static_cast<std::size_t>(graph_.host.n_vertices) + 2,
                     stream_);
    if constexpr (Tight::have_lengths) count_tails();
    cuda::for_each(stream_, n_searches_, StartSearches{view_, sources_, starts_, n_searches_});
    last_level_[0] = {0, 0, starts.back()};
  }

  void count_tails() {
    cuda::fill_bytes(farthest_, 0, n_searches_, stream_);
    cuda::for_each(stream_, graph_.host.n_vertices,
                   FindFarthestEnds<W>{view_, distances_, n_searches_, farthest_});
    cuda::for_each_edge(stream_, graph_.on_device, cuda::AllVertices{graph_.host.n_vertices},
                        cuda::mapping_for(graph_.host),
                        CountTails<W>{view_, tight(), n_searches_, farthest_});
    cuda::for_each(stream_, graph_.host.n_vertices,
                   FindEndsWithoutTails<W>{view_, distances_, n_searches_});
    EXPECTS(cuda::read_back(view_.findings, stream_).loses_weight == 0, lost_weight);
  }

  /// Runs a kernel until there is no further level, or it goes no further.
  template <class Kernel, class... Arguments>
  void search_levels(Kernel kernel, const Arguments&... arguments) {
    while (true) {
      const BatchLevel before = last_level_[0];
      cuda::launch_cooperative(stream_, blocks(kernel), batch_threads, 0, kernel, view_, before,
                               arguments...);
      stream_.synchronize();
      poll();
      const BatchLevel& now = last_level_[0];
      if (now.size == 0 || now.level >= view_.limit || now.level == before.level) break;
    }
    deepest_ = last_level_[0];
    if (deepest_.size > 0) return;
    --deepest_.level;
    deepest_.size = cuda::read_back(view_.level_sizes + deepest_.level, stream_);
    deepest_.first -= deepest_.size;
  }

  /// Counts paths. Returns whether all counts are exact.
  bool count_as_they_come(std::span<const vertex_t> sources) {
    start(sources);
    if constexpr (Tight::have_lengths) {
      search_levels(count_paths_by_length<W, false>, tight(), tight());
    } else {
      search_levels(count_paths);
    }
    return cuda::read_back(view_.findings, stream_).inexact_level == infinity<vertex_t>();
  }

  void count_in_order(std::span<const vertex_t> sources) {
    const CsrView<W> reversed = entering();
    view_.entering = reversed;
    if constexpr (Tight::have_lengths) {
      start(sources);
      search_levels(count_paths_by_length<W, true>, tight(), Tight{distances_, reversed.weights});
    } else {
      cuda::fill_bytes(view_.first_tails, 0xff, n_items(), stream_);
      start(sources);
      search_levels(count_paths_in_order);
    }
  }

  template <bool is_long>
  void go_back() {
    way_.deepest = deepest_.level;
    last_level_[0] = deepest_;
    constexpr auto kernel = add_dependencies<of_arcs, is_long, Tight>;
    while (last_level_[0].level >= (of_arcs ? 0 : 1)) {
      cuda::launch_cooperative(stream_, blocks(kernel), batch_threads, 0, kernel, view_,
                               last_level_[0], tight(), way_);
      stream_.synchronize();
      poll();
    }
    if constexpr (of_arcs) {
      cuda::for_each_edge(stream_, graph_.on_device, cuda::AllVertices{graph_.host.n_vertices},
                          cuda::mapping_for(graph_.host),
                          AddToArcs<is_long, Tight>{view_, tight(), n_searches_, sums_.data()});
    } else {
      cuda::fill_bytes(n_ends_, 0, n_searches_, stream_);
      cuda::for_each(stream_, graph_.host.n_vertices,
                     AddToVertices<Tight>{view_, tight(), sources_, n_searches_, options_.endpoints,
                                          sums_.data(), n_ends_});
      if (!options_.endpoints) return;
      cuda::for_each(stream_, 1, AddPathsOfSources{sources_, n_searches_, n_ends_, sums_.data()});
    }
  }

  /// Returns the graph with all arcs reversed, which is the graph itself if they are mirrored.
  [[nodiscard]] CsrView<W> entering() {
    if (!options_.directed) return graph_.on_device;
    if (!reversed_ && graph_.is_mirrored()) return graph_.on_device;
    if (!reversed_) {
      const Csr<W> reversed = transpose(graph_.host);
      reversed_.emplace(reversed.view(), stream_);
      if (Tight::have_lengths) {
        reversed_weights_ =
            cuda::to_device(reversed.weights.data(), reversed.weights.size(), stream_);
      }
      stream_.synchronize();  // before the arrays on the host are gone
    }
    return with_weights(reversed_->view(), static_cast<const W*>(reversed_weights_.data()));
  }

  const SearchedGraph<W> graph_;
  const W limit_;
  const BetweennessOptions& options_;
  const cuda::Stream& stream_;
  const PathEnds ends_;
  const std::size_t n_sums_;
  const cuda::PinnedBuffer<BatchLevel> last_level_;
  cuda::DeviceBuffer<FixedPointSum> sums_;
  cuda::DeviceBuffer<std::uint8_t> is_end_;
  std::optional<DevicePattern> reversed_;
  cuda::DeviceBuffer<W> reversed_weights_;
  cuda::DeviceBuffer<std::byte> memory_;
  std::size_t taken_ = 0;  // bytes beside those of searches
  std::size_t most_searches_ = 1;
  std::size_t n_allocated_ = 0;
  BatchView view_{};
  WayBack way_{};
  BatchLevel deepest_{};
  std::uint32_t n_searches_ = 0;
  vertex_t* sources_ = nullptr;
  std::uint32_t* starts_ = nullptr;  // by search: of the chunks of its source
  std::uint32_t* n_ends_ = nullptr;
  W* distances_ = nullptr;  // by search and vertex
  long long* farthest_ = nullptr;
  bool in_order_ = false;  // a count was inexact
};

}  // namespace warpgraph::betweenness
