#include "plan/pieces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace warpgraph::plan {
namespace {

/// Shorter calls end before a measurement tells anything.
constexpr double least_seconds = 0.03;
/// A way whose expected time is so many times as long is not measured: no formula is that wrong.
constexpr double most_apart = 8;
/// The share of the call that the first pieces of another way may take.
constexpr double share_of_first = 0.05;
/// The share that is gained by two places that work at the same time, at least.
constexpr double gain_of_both = 0.2;
/// A block takes so many times what each block takes once, at least.
constexpr double seconds_of_block = 4;
/// The fewest pieces that tell how long further ones take: so many for each thread of the host, and
/// for a GPU.
constexpr std::int64_t pieces_of_thread = 16;
constexpr std::int64_t pieces_of_gpu = 64;

/// Returns the way of a method, whose pieces are the sources. What was learnt corrects the model.
Way way_of(const Method& method, const Case& run) {
  Request no_sources = run.request;
  no_sources.n_sources = 0;
  const Case empty{run.facts, no_sources, run.plan, run.devices, run.n_threads, run.shape};
  const double all = modelled_seconds(method, run);
  const double once = std::min(modelled_seconds(method, empty), all);
  const double correction = expected_seconds(method, run) / all;
  return {method.name, run.devices[0],
          run.on_gpu() ? pieces_of_gpu : pieces_of_thread * run.n_threads, correction * once,
          correction * (all - once) / static_cast<double>(run.request.n_sources)};
}

std::vector<Way> ways_on(std::span<const Device> where, std::span<const Method* const> methods,
                         const Case& run) {
  const Case there{run.facts, run.request, run.plan, where, run.n_threads, run.shape};
  std::vector<Way> ways;
  for (const Method* const method : methods) ways.push_back(way_of(*method, there));
  const auto n = run.request.n_sources;
  std::ranges::sort(ways, {}, [n](const Way& way) { return way.seconds(n); });
  return ways;
}

/// Returns the fastest ways of the cores and of the GPU, if they gain by working at the same time.
std::vector<Way> both_places(std::span<const Method* const> methods, const Case& run,
                             const Machine& machine, const Way& fastest) {
  const double begin = machine.seconds_to_begin();
  if (std::isinf(begin)) return {};
  constexpr std::array cores{Device{}};
  constexpr std::array gpu{Device{Device::Kind::cuda, 0}};
  std::vector<Way> ways{ways_on(cores, methods, run)[0], ways_on(gpu, methods, run)[0]};
  ways[1].once += begin;
  const auto n = run.request.n_sources;
  for (Way& way : ways) {
    const double efficient = std::ceil(seconds_of_block * way.once / way.each);
    if (efficient > static_cast<double>(n)) return {};
    way.n_first = std::max(way.n_first, static_cast<std::int64_t>(efficient));
    if (2 * way.n_first > n) return {};
  }
  if (seconds_of_ways(ways, n) > (1 - gain_of_both) * fastest.seconds(n)) return {};
  const std::optional<Device> found = machine.gpu();
  if (!found) return {};
  ways[1].device = *found;
  return ways;
}

/// Returns the fastest ways of the same devices, if the second one may be faster than it seems.
std::vector<Way> one_place(std::vector<Way> ways, std::int64_t n) {
  if (ways.size() < 2) return {};
  ways.resize(2);
  const double all = ways[0].seconds(n);
  if (ways[1].seconds(n) > most_apart * all) return {};
  std::int64_t n_first = 0;
  for (Way& way : ways) {
    const double affordable = (share_of_first * all - way.once) / way.each;
    if (affordable < static_cast<double>(way.n_first)) return {};
    way.n_first = static_cast<std::int64_t>(affordable);
    n_first += way.n_first;
  }
  return 4 * n_first > n ? std::vector<Way>{} : ways;
}

}  // namespace

bool work_together(std::span<const Way> ways) {
  return ways.size() > 1 && ways[0].device != ways[1].device;
}

double seconds_of_ways(std::span<const Way> ways, std::int64_t n_pieces) {
  if (!work_together(ways)) return ways[0].seconds(n_pieces);
  double pieces = static_cast<double>(n_pieces);
  double speed = 0;
  for (const Way& way : ways) {
    pieces += way.once / way.each;
    speed += 1 / way.each;
  }
  return pieces / speed;
}

std::vector<Way> ways_of_sources(std::span<const Method* const> methods, const Case& run,
                                 const Devices& devices) {
  const auto n = run.request.n_sources;
  if (run.devices.size() > 1 || n < 2) return {};
  Case shaped = run;
  const auto is_short = [&](const Method* method) {
    return expected_seconds(*method, shaped) < least_seconds;
  };
  shaped.shape = most_shape;
  if (std::ranges::any_of(methods, is_short)) return {};
  shaped.shape = shape_of(run.facts);
  if (std::ranges::any_of(methods, is_short)) return {};
  const std::vector<Way> ways = ways_on(run.devices, methods, shaped);
  const bool may_choose = devices.wanted == Devices::Wanted::automatic &&
                          !run.request.results_on_device && !run.request.budget.is_limited();
  if (may_choose) {
    std::vector<Way> both = both_places(methods, shaped, *devices.machine, ways[0]);
    if (!both.empty()) return both;
  }
  return devices.machine->measures ? one_place(ways, n) : std::vector<Way>{};
}

}  // namespace warpgraph::plan
