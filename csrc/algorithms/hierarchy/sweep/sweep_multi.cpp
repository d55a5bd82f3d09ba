#include "algorithms/hierarchy/hierarchy.hpp"
#include "core/containers/at.hpp"
#include "core/error.hpp"
#include "runtime/worklist/deal.hpp"

namespace warpgraph {
namespace {

/// The sources of a GPU at a time: batches of 32 to 128 follow each other, and it copies the rows
/// of one while it sweeps for the next.
constexpr std::int64_t sources_of_a_gpu = 512;
/// The sources of a thread at a time: some batches, which repay the selection of targets of each
/// call.
constexpr std::int64_t sources_of_a_thread = 64;

}  // namespace

template <class R>
void sweep_multi(const std::vector<Device>& devices, const HierarchyQuery<R>& query,
                 const HierarchyResult<R>& result, const RowsSweep<R>& sweep) {
  if (devices.size() == 1) return sweep(devices[0], query, result);
  EXPECTS(!result.on_device, "the result of several devices must be in host memory");
  // Each block takes the time of a selection of targets and of the last copy: four H100s took 60 ms
  // for 65,536 sources in two blocks each, and 57 in one.
  const runtime::DealOptions how{
      query.budget,
      [](Device device) { return device.is_cuda() ? sources_of_a_gpu : sources_of_a_thread; },
      /*equal_work=*/true};
  runtime::deal(devices, std::ssize(query.sources), how,
                [&](Device device, runtime::Block block, MemoryBudget budget) {
                  HierarchyQuery<R> mine = query;
                  mine.budget = budget;
                  mine.sources = query.sources.subspan(at(block.first), at(block.size));
                  HierarchyResult<R> rows = result;
                  rows.distances += block.first * result.row_stride;
                  sweep(device, mine, rows);
                });
}

WARPGRAPH_INSTANTIATE_FOR_EACH_WEIGHT(sweep_multi)

}  // namespace warpgraph
