// Pauses of a loop that holds the GIL.
#pragma once

#include "bindings/call.hpp"

namespace warpgraph {

/// Counter of entries that pauses now and then, to let other threads run and signals be handled.
/// Objects that are not owned may be gone after a pause.
class Pauses {
 public:
  [[nodiscard]] bool is_due(std::int64_t n_entries) { return (entries_ += n_entries) >= interval; }
  void pause() {
    entries_ = 0;
    run_released([] {});
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

 private:
  static constexpr std::int64_t interval = 1 << 16;  // a few milliseconds
  std::int64_t entries_ = 0;
};

}  // namespace warpgraph
