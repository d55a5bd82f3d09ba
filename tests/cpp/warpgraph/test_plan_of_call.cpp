// Plans of a program of C++, without Python: their bytes are those that the algorithm asks for.
#include "algorithms/sssp/sssp.hpp"
#include "core/memory/ledger.hpp"
#include "warpgraph/planning/plan_of_call.hpp"
#include "warpgraph/planning/this_machine.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace warpgraph {
namespace {

/// A path of n vertices, with each edge both ways.
class PlannedPath : public testing::Test {
 protected:
  static constexpr vertex_t n = 1000;

  PlannedPath() : graph_(offsets(), heads()) {
    graph_.set_weights(SharedArray::of(std::vector<double>(2 * (n - 1), 1.5)));
  }

  /// Returns the plan of a search on cores within a limit.
  std::unique_ptr<plan::Plan> plan_within(std::size_t limit) {
    Ledger ledger(limit);
    plan::Request request;
    request.is_kept = request.explains = request.asks_for_needs = true;
    request.budget = ledger.budget();
    const ThisMachine machine([] { return std::nullopt; }, [] { return std::vector<Device>{}; });
    const plan::Devices devices{plan::Devices::Wanted::automatic, {}, &machine};
    return plan_of_call({"sssp", request, devices, {}, {}}, &graph_, &graph_, ledger);
  }

  Graph graph_;

 private:
  static SharedArray offsets() {
    std::vector<std::int64_t> offsets{0};
    for (vertex_t v = 0; v < n; ++v) {
      offsets.push_back(offsets.back() + (v == 0 || v == n - 1 ? 1 : 2));
    }
    return SharedArray::of(std::move(offsets));
  }
  static SharedArray heads() {
    std::vector<vertex_t> heads;
    for (vertex_t v = 0; v < n; ++v) {
      if (v > 0) heads.push_back(v - 1);
      if (v < n - 1) heads.push_back(v + 1);
    }
    return SharedArray::of(std::move(heads));
  }
};

TEST_F(PlannedPath, RunsOnTheHost) {
  const auto plan = plan_within(MemoryBudget::no_limit);
  EXPECT_EQ(plan->devices, std::vector{Device{}});
  EXPECT_EQ(plan->method, "dijkstra");
  EXPECT_EQ(plan->refusal, "");
  EXPECT_GT(plan->seconds, 0);
  EXPECT_FALSE(plan->reasons.empty());
}

TEST_F(PlannedPath, HasTheBytesThatTheSearchAsksFor) {
  SsspSettings settings;
  settings.method = SsspMethod::dijkstra;
  const std::size_t needed = need_of_sssp<double>(graph_.pattern(), 1, settings, false).bytes;
  EXPECT_EQ(plan_within(needed)->refusal, "");
  const auto refused = plan_within(needed - 1);
  EXPECT_NE(refused->refusal.find(std::to_string(needed) + " bytes"), std::string::npos)
      << refused->refusal;
}

TEST_F(PlannedPath, ChangesNothing) {
  const std::size_t before = graph_.host_bytes();
  (void)plan_within(MemoryBudget::no_limit);
  EXPECT_EQ(graph_.host_bytes(), before);
  EXPECT_EQ(graph_.device_bytes(), 0);
}

}  // namespace
}  // namespace warpgraph
