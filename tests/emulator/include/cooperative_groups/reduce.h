// Stands in for CUDA's header of this name.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};

template <class T, class Op>
T reduce(const lane_group& group, T value, Op&& op) {
  T result{};
  group.visit_all("reduce", value, [&](unsigned rank, T brought) {
    result = rank == 0 ? brought : op(result, brought);
  });
  return result;
}

}  // namespace cooperative_groups
