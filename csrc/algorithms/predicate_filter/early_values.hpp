// The values that have passed before their place is known.
#pragma once

#include "algorithms/predicate_filter/ordered_output.hpp"
#include "core/function_ref.hpp"
#include "core/memory/host_vector.hpp"

#include <deque>

namespace warpgraph {

class EarlyValues {
 public:
  /// Adds the values of a segment. `owner` has their memory, if it does not belong to the caller.
  void add(std::size_t begin, std::span<std::byte> values, HostArray<std::byte> owner = {}) {
    parts_.push_back({begin, values, std::move(owner)});
  }
  [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }
  /// Returns the begin of the segment that was added first.
  [[nodiscard]] std::size_t oldest() const { return parts_.front().begin; }

  /// Writes the values whose place is known by now, and calls reuse(values) then.
  void write_to(OrderedOutput& output, FunctionRef<void(std::byte*)> reuse) {
    std::erase_if(parts_, [&](Part& part) {
      const std::optional<std::size_t> place = output.take_place(part.begin);
      if (!place) return false;
      output.write(*place, part.values);
      reuse(part.values.data());
      return true;
    });
  }

 private:
  struct Part {
    std::size_t begin;
    std::span<std::byte> values;
    HostArray<std::byte> owner;
  };
  std::deque<Part> parts_;
};

}  // namespace warpgraph
