// The lanes of all pairs' sums, as the types that typed tests run over.
#pragma once

#include "algorithms/apsp/arithmetic.hpp"

#include <gtest/gtest.h>
#include <string>

namespace warpgraph::apsp_steps {

template <Lane lane_>
struct Of {
  static constexpr Lane lane = lane_;
};

struct NameOfLane {
  template <class LaneOf>
  static std::string GetName(int) {
    constexpr const char* names[] = {"uint16", "int32", "int64", "wide", "float32", "float64"};
    return names[static_cast<int>(LaneOf::lane)];
  }
};
using Lanes = testing::Types<Of<Lane::uint16>, Of<Lane::int32>, Of<Lane::int64>, Of<Lane::wide>,
                             Of<Lane::float32>, Of<Lane::float64>>;

}  // namespace warpgraph::apsp_steps
