// Values that have passed before their place is known.
#pragma once

#include "algorithms/predicate_filter/ordered_output.hpp"
#include "core/memory/host_vector.hpp"

#include <deque>
#include <utility>

namespace warpgraph {

template <class T>
class EarlyValues {
 public:
  /// owner: of the values, if these do not belong to the caller.
  void add(std::size_t begin, T* values, std::size_t n, HostArray<T> owner = {}) {
    parts_.push_back({begin, values, n, std::move(owner)});
  }
  [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }
  /// The begin of the segment that was added first.
  [[nodiscard]] std::size_t oldest() const { return parts_.front().begin; }

  /// Writes those whose place is known now. reuse(values) is called then.
  template <class Reuse>
  void write_to(OrderedOutput<T>& output, Reuse&& reuse) {
    std::erase_if(parts_, [&](Part& part) {
      const std::optional<std::size_t> place = output.take_place(part.begin);
      if (!place) return false;
      output.write(*place, part.values, part.n);
      reuse(part.values);
      return true;
    });
  }

 private:
  struct Part {
    std::size_t begin;
    T* values;
    std::size_t n;
    HostArray<T> owner;
  };
  std::deque<Part> parts_;
};

}  // namespace warpgraph
