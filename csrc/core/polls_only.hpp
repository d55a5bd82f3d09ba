// Hooks for a search within a call: its progress is not that of the call, or a part of it.
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

/// Hooks for work on `first` and the following of the call's `total` items.
class PartOfCall final : public CallHooks {
 public:
  PartOfCall(std::int64_t first, std::int64_t total) : first_(first), total_(total) {}

  void poll() override {
    if (outer_ != nullptr) outer_->poll();
  }
  void progress(std::int64_t done, std::int64_t) override {
    if (outer_ != nullptr) outer_->progress(first_ + done, total_);
  }

 private:
  CallHooks* const outer_ = detail::current_hooks;
  const std::int64_t first_;
  const std::int64_t total_;
};

}  // namespace warpgraph
