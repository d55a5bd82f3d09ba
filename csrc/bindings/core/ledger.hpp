// The ledger of a call as an argument of functions that allocate only for the time of the call:
// they get the bytes that are left. A call that is planned only ends where it passes them.
#pragma once

#include "bindings/core/only_planned.hpp"
#include "bindings/keywords.hpp"
#include "core/memory/ledger.hpp"

namespace warpgraph {

/// Returns a limit as Python passes it, where 0 is none.
inline std::size_t limit_of(std::size_t bytes) {
  return bytes == 0 ? MemoryBudget::no_limit : bytes;
}

/// Returns what is left on a device for what is about to be made there.
inline MemoryBudget left_to_make(const Ledger& ledger, Device device = {}) {
  begin_step(Step::making);
  return ledger.left_on(device);
}

}  // namespace warpgraph

/// Python passes its ledger, of which the budget is what is left; or None, for no limit.
template <>
struct pybind11::detail::type_caster<warpgraph::MemoryBudget> {
  PYBIND11_TYPE_CASTER(warpgraph::MemoryBudget,
                       make_caster<warpgraph::Ledger>::name + const_name(" | None"));

  bool load(handle source, bool convert) {
    if (source.is_none()) return true;
    make_caster<warpgraph::Ledger> ledger;
    if (!ledger.load(source, convert)) return false;
    warpgraph::begin_step(warpgraph::Step::launch);
    value = cast_op<warpgraph::Ledger&>(ledger).budget();
    return true;
  }
  static handle cast(warpgraph::MemoryBudget, return_value_policy, handle) {
    return none().release();
  }
};
