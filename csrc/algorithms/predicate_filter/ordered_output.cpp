#include "algorithms/predicate_filter/ordered_output.hpp"

#include "core/processor/copy_past_caches.hpp"

#include <algorithm>

namespace warpgraph {

void OrderedOutput::count(SegmentRange segment, std::size_t n) {
  {
    const std::lock_guard lock(mutex_);
    counted_[segment.begin] = {segment.end, n};
    std::size_t end = n_counted_.load(std::memory_order_relaxed);
    for (auto next = counted_.begin(); next != counted_.end() && next->first == end;
         next = counted_.erase(next)) {
      if (next->second.n > 0) places_[end] = n_passed_;
      n_passed_ += next->second.n;
      end = next->second.end;
    }
    n_counted_.store(end);
  }
  changed_.ring();
}

std::optional<std::size_t> OrderedOutput::take_place(std::size_t begin) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(begin);
  if (found == places_.end()) return std::nullopt;
  const std::size_t place = found->second;
  places_.erase(found);
  return place;
}

void OrderedOutput::wait_for_place(std::size_t begin, const std::string& endpoint) {
  changed_.wait([&] { return n_counted() > begin; },
                [&] { return endpoint + " waits for segments before its own"; });
}

std::span<std::byte> OrderedOutput::room_for(SegmentRange segment) {
  if (n_counted() != segment.begin) return {};
  const std::lock_guard lock(mutex_);
  const std::size_t place = n_passed_ * value_size_;
  const std::size_t bytes = (segment.end - segment.begin) * value_size_;
  return place + bytes <= memory_.size() ? memory_.subspan(place, bytes) : std::span<std::byte>();
}

void OrderedOutput::write(std::size_t place, std::span<const std::byte> values) {
  const std::size_t begin = place * value_size_;
  if (begin >= memory_.size()) return;
  constexpr std::size_t no_cache_has = std::size_t{64} << 20;
  const std::size_t bytes = std::min(values.size(), memory_.size() - begin);
  if (memory_.size() < no_cache_has) {
    std::copy_n(values.data(), bytes, memory_.data() + begin);
  } else {
    copy_past_caches(memory_.data() + begin, values.data(), bytes);
  }
}

}  // namespace warpgraph
