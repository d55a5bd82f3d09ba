#include "algorithms/predicate_filter/early_values.hpp"
#include "algorithms/predicate_filter/filter_values.hpp"
#include "algorithms/predicate_filter/segment_filter.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph {
namespace {

/// The arrays for values that pass, of the size of a packet. The one that was used last is in the
/// cache. They are parts of blocks, which have huge pages and are kept between calls.
template <class T>
class PacketArrays {
 public:
  PacketArrays(std::size_t bytes, std::size_t most)
      : items_(bytes / sizeof(T)), in_block_(std::min(most, packets_per_block)) {}
  T* take() {
    if (idle_.empty()) add_block();
    T* const last = idle_.back();
    idle_.pop_back();
    return last;
  }
  void give_back(T* array) { idle_.push_back(array); }

 private:
  static constexpr std::size_t packets_per_block = 16;

  void add_block() {
    blocks_.emplace_back(static_cast<std::int64_t>(in_block_ * items_));
    for (std::size_t i = in_block_; i > 0; --i) {
      idle_.push_back(blocks_.back().get() + (i - 1) * items_);
    }
  }

  const std::size_t items_;
  const std::size_t in_block_;
  std::vector<HostArray<T>> blocks_;
  std::vector<T*> idle_;
};

}  // namespace

template <class T>
void filter_segments_cpu(SegmentFilter<T>& endpoint, Interval<T> interval) {
  OrderedOutput<T>& output = endpoint.output;
  PacketArrays<T> arrays(endpoint.in.packet_size(), endpoint.most_early + 1);
  EarlyValues<T> early;
  const auto write_down_to = [&](std::size_t most) {
    const auto reuse = [&](T* array) { arrays.give_back(array); };
    early.write_to(output, reuse);
    while (early.size() > most) {
      output.wait_for_place(early.oldest(), [&] { return endpoint.name; });
      early.write_to(output, reuse);
    }
  };
  const auto filter_early = [&](runtime::PendingSegment& pending, SegmentRange segment) {
    T* const passed = arrays.take();
    const std::size_t n = filter_values(pending.description().template as<T>(), interval, passed);
    output.count(segment, n);
    n > 0 ? early.add(segment.begin, passed, n) : arrays.give_back(passed);
  };
  while (std::optional<runtime::PendingSegment> pending = endpoint.in.receive()) {
    const runtime::Segment& values = pending->wait_direct();
    const SegmentRange segment = range_of<T>(values);
    if (const std::span<T> room = output.room_for(segment); !room.empty()) {
      const auto items = values.template as<T>();
      output.count(segment, output.may_overwrite() ? filter_values(items, interval, room.data())
                                                   : filter_values_within(items, interval, room));
      static_cast<void>(output.take_place(segment.begin));  // it is there already
    } else {
      filter_early(*pending, segment);
    }
    pending->release();
    // It has counted all that it has received, so the others can go on while it waits.
    write_down_to(endpoint.most_early);
  }
  write_down_to(0);
}

#define INSTANTIATE(T) template void filter_segments_cpu<T>(SegmentFilter<T>&, Interval<T>);
WARPGRAPH_FOR_EACH_FILTERED(INSTANTIATE)
#undef INSTANTIATE

}  // namespace warpgraph
