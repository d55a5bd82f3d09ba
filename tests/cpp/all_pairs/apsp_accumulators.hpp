// The accumulators of all-pairs sums, as the types of typed tests.
#pragma once

#include "algorithms/apsp/accumulator.hpp"

#include <gtest/gtest.h>
#include <string>

namespace warpgraph::apsp_detail {

template <Accumulator acc_>
struct AccumulatorTag {
  static constexpr Accumulator acc = acc_;
};

struct AccumulatorName {
  template <class Tag>
  static std::string GetName(int) {
    constexpr const char* names[] = {"uint16",           "int32",   "int64",
                                     "saturating_int64", "float32", "float64"};
    return names[static_cast<int>(Tag::acc)];
  }
};
using Accumulators =
    testing::Types<AccumulatorTag<Accumulator::uint16>, AccumulatorTag<Accumulator::int32>,
                   AccumulatorTag<Accumulator::int64>,
                   AccumulatorTag<Accumulator::saturating_int64>,
                   AccumulatorTag<Accumulator::float32>, AccumulatorTag<Accumulator::float64>>;

}  // namespace warpgraph::apsp_detail
