#include "algorithms/within/within.hpp"
#include "core/containers/at.hpp"
#include "runtime/worklist/deal.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace warpgraph {
namespace {

/// The sources that keep a GPU busy with a heap for each.
constexpr std::int64_t sources_of_a_gpu = 2048;

/// Calls process(device, block, budget) for blocks of all sources.
void deal_sources(const std::vector<Device>& devices, std::size_t n_sources,
                  const WithinSettings& settings, const runtime::ProcessBlock& process) {
  const runtime::DealOptions how{
      settings.budget, [](Device device) { return device.is_cuda() ? sources_of_a_gpu : 1; }};
  runtime::deal(devices, static_cast<std::int64_t>(n_sources), how, process);
}

}  // namespace

template <class W>
DistanceLists<W> join_lists(std::vector<DistanceLists<W>>&& parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  std::size_t n_rows = 0;
  std::size_t n_entries = 0;
  for (const DistanceLists<W>& part : parts) {
    n_rows += part.offsets.size() - 1;
    n_entries += part.vertices.size();
  }
  DistanceLists<W> all;
  all.offsets.reserve(n_rows + 1);
  all.offsets.push_back(0);
  all.vertices.resize(n_entries);
  all.distances.resize(n_entries);
  for (DistanceLists<W>& part : parts) {
    const edge_t begin = all.offsets.back();
    for (std::size_t i = 1; i < part.offsets.size(); ++i) {
      all.offsets.push_back(begin + part.offsets[i]);
    }
    std::ranges::copy(part.vertices, all.vertices.begin() + begin);
    std::ranges::copy(part.distances, all.distances.begin() + begin);
    part = {};
  }
  return all;
}

template <class W>
DistanceLists<W> within_multi(const std::vector<Device>& devices, std::span<const vertex_t> sources,
                              const WithinSettings& settings, const ListsSearch<W>& search) {
  if (devices.size() == 1) return search(devices[0], sources, settings);
  std::mutex mutex;
  std::map<std::int64_t, DistanceLists<W>> found;  // by the first source of a block
  deal_sources(devices, sources.size(), settings,
               [&](Device device, runtime::Block block, MemoryBudget budget) {
                 DistanceLists<W> lists =
                     search(device, sources.subspan(at(block.first), at(block.size)),
                            WithinSettings{budget});
                 const std::lock_guard lock(mutex);
                 found.emplace(block.first, std::move(lists));
               });
  std::vector<DistanceLists<W>> in_order;
  for (auto& [first, lists] : found) in_order.push_back(std::move(lists));
  return join_lists(std::move(in_order));
}

template <class W>
void sums_within_multi(const std::vector<Device>& devices, std::span<const vertex_t> sources,
                       const ReachSums<W>& reach, const WithinSettings& settings,
                       const SumsSearch<W>& search) {
  if (devices.size() == 1) return search(devices[0], sources, reach, settings);
  const std::size_t n_limits = reach.limits.size();
  deal_sources(devices, sources.size(), settings,
               [&](Device device, runtime::Block block, MemoryBudget budget) {
                 ReachSums<W> mine = reach;
                 mine.sums =
                     reach.sums.subspan(at(block.first) * n_limits, at(block.size) * n_limits);
                 search(device, sources.subspan(at(block.first), at(block.size)), mine,
                        WithinSettings{budget});
               });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(join_lists)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(within_multi)
WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sums_within_multi)

}  // namespace warpgraph
