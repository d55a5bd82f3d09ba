// Hooks for a search within a call, whose progress is not that of the call.
#pragma once

#include "core/interrupt.hpp"

namespace warpgraph {

class PollsOnly final : public CallHooks {
 public:
  void poll() override {
    if (outer_ != nullptr) outer_->poll();
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  CallHooks* const outer_ = detail::current_hooks;
};

}  // namespace warpgraph
