#include "algorithms/many_to_many/many_to_many.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "runtime/worklist/deal.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace warpgraph {
namespace {

/// The sources that keep a GPU busy: batches of 32 of which up to 64 are searched at once, and as
/// many heaps.
constexpr std::int64_t sources_of_a_gpu = 2048;
/// The sources of a wide batch: the bits of its sets.
constexpr std::int64_t sources_of_a_wide_batch = 256;
/// The sources of a block for which a thread of the host makes an order of the vertices and groups
/// of sources, before its batches: that takes as long as several searches. Beside a GPU, which may
/// be a hundred times as fast, a thread takes four batches all the same.
constexpr std::int64_t sources_worth_an_order = 512;
constexpr std::int64_t sources_beside_a_gpu = 64;

std::int64_t smallest_block(ManyToManyMethod method, Device device, bool has_gpu) {
  if (method == ManyToManyMethod::breadth_first) return sources_of_a_wide_batch;
  if (device.is_cuda()) return sources_of_a_gpu;
  if (method == ManyToManyMethod::dijkstra || method == ManyToManyMethod::johnson) return 1;
  return has_gpu ? sources_beside_a_gpu : sources_worth_an_order;
}

template <class W>
ManyToManyResult<W> rows_from(std::int64_t first, ManyToManyResult<W> result, vertex_t n_vertices) {
  result.distances = result.distances_of(first);
  if (result.predecessors != nullptr) {
    result.predecessors = result.predecessors_of(first, n_vertices).data();
  }
  return result;
}

/// Returns the way of a device among those of cores and of a GPU; nullptr if there are none.
const SearchWay* way_of(const ManyToManySettings& settings, Device device) {
  const auto found = std::ranges::find(settings.ways, device.is_cuda(),
                                       [](const auto& way) { return way.on_gpu; });
  return found == settings.ways.end() ? nullptr : &*found;
}

/// Reports the progress of a block of the sources as a part of all.
class BlockHooks final : public CallHooks {
 public:
  BlockHooks(std::int64_t first, std::int64_t size, std::int64_t all)
      : first_(first), size_(size), all_(all), outer_(detail::current_hooks), installed_(this) {}
  void poll() override {
    if (outer_ != nullptr) outer_->poll();
  }
  void progress(std::int64_t done, std::int64_t total) override {
    if (outer_ == nullptr || total == 0) return;
    const double share = static_cast<double>(done) / static_cast<double>(total);
    outer_->progress(first_ + static_cast<std::int64_t>(share * static_cast<double>(size_)), all_);
  }

 private:
  const std::int64_t first_;
  const std::int64_t size_;
  const std::int64_t all_;
  CallHooks* const outer_;
  const ScopedHooks installed_;
};

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Calls search(method, first, size) for blocks of all sources: the first ones measure the ways.
template <class Search>
void search_by_fastest(const std::vector<SearchWay>& ways, std::int64_t n, const Search& search) {
  std::int64_t n_measured = 0;
  for (const SearchWay& way : ways) n_measured += way.n_first;
  const auto n_rest = static_cast<double>(std::max<std::int64_t>(n - n_measured, 0));
  std::int64_t first = 0;
  const auto search_next = [&](ManyToManyMethod method, std::int64_t size) {
    size = std::min(size, n - first);
    if (size == 0) return;
    const BlockHooks hooks(first, size, n);
    search(method, first, size);
    first += size;
  };
  ManyToManyMethod fastest = ways[0].method;
  double least = std::numeric_limits<double>::infinity();
  for (const SearchWay& way : ways) {
    const double begun = seconds_now();
    search_next(way.method, way.n_first);
    // The seconds of a larger block are not in proportion to those of a small one: what is expected
    // is corrected by what was measured.
    const double expected = way.once + way.each * static_cast<double>(way.n_first);
    const double rest = (seconds_now() - begun) / expected * (way.once + way.each * n_rest);
    if (rest < least) {
      least = rest;
      fastest = way.method;
    }
  }
  search_next(fastest, n - first);
}

}  // namespace

template <class W>
void many_to_many_multi(const std::vector<Device>& devices, const CsrPattern& graph,
                        std::span<const vertex_t> sources, const ManyToManyOptions<W>& options,
                        const ManyToManyResult<W>& result, const RowsSearch<W>& search) {
  const auto search_block = [&](Device device, const ManyToManyOptions<W>& how, std::int64_t first,
                                std::int64_t size) {
    search(device, sources.subspan(at(first), at(size)), how,
           rows_from(first, result, graph.n_vertices));
  };
  if (devices.size() == 1) {
    if (options.ways.empty()) return search(devices[0], sources, options, result);
    const auto by = [&](ManyToManyMethod method, std::int64_t first, std::int64_t size) {
      ManyToManyOptions<W> how = options;
      how.method = method;
      search_block(devices[0], how, first, size);
    };
    return search_by_fastest(options.ways, std::ssize(sources), by);
  }
  EXPECTS(!result.on_device, "the result of several devices must be in host memory");
  const bool has_gpu =
      std::any_of(devices.begin(), devices.end(), [](Device device) { return device.is_cuda(); });
  const auto smallest = [&](Device device) {
    const SearchWay* const way = way_of(options, device);
    if (way == nullptr) return smallest_block(options.method, device, has_gpu);
    return device.is_cuda() ? way->n_first : smallest_block(way->method, device, has_gpu);
  };
  runtime::deal(devices, std::ssize(sources), {options.budget, smallest},
                [&](Device device, runtime::Block block, MemoryBudget budget) {
                  ManyToManyOptions<W> mine = options;
                  mine.budget = budget;
                  if (const auto* const way = way_of(options, device)) mine.method = way->method;
                  search_block(device, mine, block.first, block.size);
                });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(many_to_many_multi)

}  // namespace warpgraph
