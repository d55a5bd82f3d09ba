// The lanes of all pairs' sums, as the types that typed tests run over.
#pragma once

#include "algorithms/apsp/accumulator.hpp"

#include <gtest/gtest.h>
#include <string>

namespace warpgraph::apsp_steps {

template <Accumulator lane_>
struct Of {
  static constexpr Accumulator lane = lane_;
};

struct NameOfLane {
  template <class LaneOf>
  static std::string GetName(int) {
    constexpr const char* names[] = {"uint16",           "int32",   "int64",
                                     "saturating_int64", "float32", "float64"};
    return names[static_cast<int>(LaneOf::lane)];
  }
};
using Lanes = testing::Types<Of<Accumulator::uint16>, Of<Accumulator::int32>,
                             Of<Accumulator::int64>, Of<Accumulator::saturating_int64>,
                             Of<Accumulator::float32>, Of<Accumulator::float64>>;

}  // namespace warpgraph::apsp_steps
