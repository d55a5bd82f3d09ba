#include "plan/sizes/short_calls.hpp"

#include "core/error.hpp"
#include "plan/rates.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::plan {
namespace {

bool is_short_search(const CallSize& size, int /*n_threads*/) {
  const std::int64_t visits = size.n_vertices + size.n_arcs;
  return size.n_sources == 1
             ? visits <= rates::visits_of_a_short_search
             : visits <= rates::visits_of_short_searches / std::max(size.n_sources, INT64_C(1));
}

bool is_short_forest(const CallSize& size, int n_threads) {
  return size.n_arcs <= (n_threads <= rates::few_cores_of_a_forest
                             ? rates::arcs_to_sort_on_few_cores
                             : rates::arcs_to_sort);
}

bool is_short_labelling(const CallSize& size, int /*n_threads*/) {
  return size.n_arcs <= rates::components_arcs_worth_a_gpu;
}

bool is_short_floyd_warshall(const CallSize& size, int /*n_threads*/) {
  return size.n_vertices <= rates::vertices_without_tiles;
}

bool is_short_for_scipy(const CallSize& size, int /*n_threads*/) {
  return size.n_arcs <= rates::arcs_that_scipy_visits_as_fast;
}

struct ShortCall {
  std::string_view function;
  bool (*is_short)(const CallSize& size, int n_threads);
};

constexpr std::array short_calls{
    ShortCall{"connected_components", is_short_labelling},
    ShortCall{"floyd_warshall", is_short_floyd_warshall},
    ShortCall{"minimum_spanning_tree", is_short_forest},
    ShortCall{"searches", is_short_search},
    ShortCall{"traversals by SciPy", is_short_for_scipy},
};

}  // namespace

bool is_short(std::string_view function, const CallSize& size, int n_threads) {
  const auto found = std::ranges::find(short_calls, function, &ShortCall::function);
  EXPECTS(found != short_calls.end(), "nothing is known of short calls of ", function);
  return found->is_short(size, n_threads);
}

std::int64_t entries_worth(std::string_view kind, bool is_converted) {
  const auto found = std::ranges::find(rates::networkx_calls, kind, &rates::NetworkxCalls::kind);
  EXPECTS(found != rates::networkx_calls.end(), "nothing is known of calls of the kind ", kind);
  return is_converted ? found->entries_if_converted : found->entries;
}

std::int64_t sources_at_a_time(std::int64_t n_vertices, int n_threads) {
  const std::int64_t that_fit = rates::distances_at_a_time / std::max<std::int64_t>(n_vertices, 1);
  return std::clamp<std::int64_t>(that_fit, 1, rates::sources_of_a_thread * n_threads);
}

std::int64_t threads_to_filter(std::int64_t n_bytes) {
  return n_bytes / rates::values_worth_a_thread + 1;
}

}  // namespace warpgraph::plan
