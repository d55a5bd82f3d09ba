// The ledger of a call as an argument of functions that allocate only for the time of the call:
// they get the bytes that are left. A call that is planned only ends where it passes them.
#pragma once

#include "bindings/core/only_planned.hpp"
#include "bindings/keywords.hpp"
#include "core/memory/ledger.hpp"

namespace warpgraph {

/// Bytes that are left in the ledger that Python passes; 0, which is no limit, for None.
class LeftInLedger {
 public:
  explicit LeftInLedger(std::size_t bytes = 0) noexcept : bytes_(bytes) {}
  operator std::size_t() const noexcept { return bytes_; }  // NOLINT(*-explicit-conversions)

 private:
  std::size_t bytes_;
};

/// Returns the bytes that are left on a device for what is about to be made there.
inline std::size_t left_to_make(const Ledger& ledger, Device device = {}) {
  begin_step(Step::making);
  return ledger.left_on(device);
}

/// Returns the keyword "ledger", whose rest is the memory limit of the options.
template <class Options>
Keyword<Options, std::size_t, LeftInLedger> ledger_keyword(std::size_t Options::*memory_limit) {
  return {"ledger", memory_limit};
}

}  // namespace warpgraph

template <>
struct pybind11::detail::type_caster<warpgraph::LeftInLedger> {
  PYBIND11_TYPE_CASTER(warpgraph::LeftInLedger,
                       make_caster<warpgraph::Ledger>::name + const_name(" | None"));

  bool load(handle source, bool convert) {
    if (source.is_none()) return true;
    make_caster<warpgraph::Ledger> ledger;
    if (!ledger.load(source, convert)) return false;
    warpgraph::begin_step(warpgraph::Step::launch);
    value = warpgraph::LeftInLedger(cast_op<warpgraph::Ledger&>(ledger).left());
    return true;
  }
  static handle cast(warpgraph::LeftInLedger, return_value_policy, handle) {
    return none().release();
  }
};
