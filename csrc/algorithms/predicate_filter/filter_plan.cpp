#include "algorithms/predicate_filter/filter_plan.hpp"

#include "core/memory/memory_budget.hpp"

#include <algorithm>
#include <map>

namespace warpgraph {
namespace {

/// The largest packet of a core: its cache holds two; small enough for balance and Ctrl-C.
constexpr std::size_t largest_host_packet = std::size_t{256} << 10;
/// The largest packet of a GPU: an H200 takes 0.3 ms to receive one, and a twentieth of that to
/// begin a copy and a kernel.
constexpr std::size_t largest_device_packet = std::size_t{16} << 20;
/// The largest packet of a GPU where memory is limited.
constexpr std::size_t limited_device_packet = std::size_t{1} << 20;
constexpr std::size_t smallest_packet = std::size_t{4} << 10;
constexpr std::size_t packets_per_endpoint = 8;
/// The buffers of a device, which receives two packets while it filters one.
constexpr int buffers_per_device = 3;
constexpr int buffers_per_core = 2;
constexpr int buffers_for_results = 4;
/// The arrays for results on a device: while one is sent, it writes another one.
constexpr std::size_t results_per_device = 3;
/// The page-locked memory for each device through which the runtime copies pageable memory.
constexpr std::size_t stage_bytes = std::size_t{16} << 20;
/// The bytes that a core may filter while others are busy with earlier segments: it filters as many
/// in the milliseconds for which the system may take a core away, or that a GPU needs for its
/// packets.
constexpr std::size_t early_bytes_of_core = std::size_t{64} << 20;
/// The bytes that a fast GPU may filter while a slow one holds several packets.
constexpr std::size_t early_bytes_of_gpu = std::size_t{1} << 30;
constexpr std::size_t early_packets_with_limit = 4;

std::size_t packet_size(std::size_t bytes, std::size_t n_endpoints, std::size_t largest) {
  const std::size_t wanted = bytes / (packets_per_endpoint * n_endpoints);
  // A packet has whole items of up to 8 bytes.
  return std::clamp(wanted, smallest_packet, largest) / 8 * 8;
}

/// Returns the bytes for one endpoint on a GPU: buffers, results, and the scratch memory of CUB,
/// whose tiles of some thousand items need a few bytes each.
std::size_t device_bytes(const EndpointPlan& gpu) {
  const auto n = static_cast<std::size_t>(gpu.n_buffers) + results_per_device;
  return n * gpu.packet_size + gpu.packet_size / 16 + smallest_packet;
}

}  // namespace

FilterPlan plan_filter(std::size_t bytes, const FilterOptions& options) {
  const bool has_limit = options.memory_limit != 0;
  const std::size_t n = options.devices.size();
  std::map<int, std::size_t> on_gpu;  // endpoints, by device
  for (const Device device : options.devices) {
    if (device.is_cuda()) ++on_gpu[device.index];
  }
  const auto early = [&](std::size_t max_bytes, std::size_t packet) {
    return has_limit ? early_packets_with_limit : max_bytes / packet;
  };
  const std::size_t of_core = packet_size(bytes, n, largest_host_packet);
  const std::size_t of_gpu =
      packet_size(bytes, n, has_limit ? limited_device_packet : largest_device_packet);
  FilterPlan plan{{of_core, buffers_per_core, early(early_bytes_of_core, of_core)},
                  {of_gpu, buffers_per_device, early(early_bytes_of_gpu, of_gpu)},
                  buffers_for_results,
                  on_gpu.empty() ? of_core : of_gpu};
  constexpr const char* what = "the buffers of predicate_filter";
  constexpr const char* advice = "use fewer endpoints";
  std::size_t n_gpu = 0;
  for (const auto& [index, count] : on_gpu) {
    n_gpu += count;
    MemoryBudget({Device::Kind::cuda, index}, options.memory_limit)
        .require(what, count * device_bytes(plan.gpu), advice);
  }
  // Beside the early segments, a core has the one that it works on.
  plan.host_bytes = (n - n_gpu) * (early_packets_with_limit + 1) * of_core;
  plan.host_bytes += n_gpu * (early_packets_with_limit * of_gpu + stage_bytes);
  if (n_gpu > 0) plan.host_bytes += static_cast<std::size_t>(buffers_for_results) * of_gpu;
  MemoryBudget({}, options.memory_limit).require(what, plan.host_bytes, advice);
  return plan;
}

}  // namespace warpgraph
