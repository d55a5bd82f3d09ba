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
  void add(std::size_t begin, HostArray<T> values, std::size_t n) {
    parts_.push_back({begin, std::move(values), n});
  }
  [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }
  /// The begin of the segment that was added first.
  [[nodiscard]] std::size_t oldest() const { return parts_.front().begin; }

  /// Writes those whose place is known now. reuse(array) gets their memory.
  template <class Reuse>
  void write_to(OrderedOutput<T>& output, Reuse&& reuse) {
    std::erase_if(parts_, [&](Part& part) {
      const std::optional<std::size_t> place = output.take_place(part.begin);
      if (!place) return false;
      output.write(*place, part.values.get(), part.n);
      reuse(std::move(part.values));
      return true;
    });
  }

 private:
  struct Part {
    std::size_t begin;
    HostArray<T> values;
    std::size_t n;
  };
  std::deque<Part> parts_;
};

}  // namespace warpgraph
