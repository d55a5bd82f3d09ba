#include "plan/plan.hpp"

#include "plan/methods/methods.hpp"

#include <algorithm>
#include <array>

namespace warpgraph::plan {
namespace {

struct Planned {
  std::string_view algorithm;
  Planner* plan;
};

constexpr std::array planned{
#define WARPGRAPH_PLANNED(algorithm, planner, needs) Planned{#algorithm, planner},
#include "plan/planned.inc"
#undef WARPGRAPH_PLANNED
};

}  // namespace

Plan make_plan(std::string_view algorithm, const Facts& facts, const Request& request,
               const Devices& devices) {
  const auto found = std::ranges::find(planned, algorithm, &Planned::algorithm);
  EXPECTS(found != planned.end(), "no plans are made for ", algorithm);
  return found->plan(facts, request, devices);
}

}  // namespace warpgraph::plan
