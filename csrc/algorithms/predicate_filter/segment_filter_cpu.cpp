#include "algorithms/predicate_filter/early_values.hpp"
#include "algorithms/predicate_filter/segment_filter.hpp"

#include <algorithm>
#include <vector>

namespace warpgraph {
namespace {

/// The arrays for values that pass, of the size of a packet. The one that was used last is in the
/// cache. They are parts of blocks, which have huge pages and are kept between calls.
class PacketArrays {
 public:
  PacketArrays(std::size_t bytes, std::size_t most)
      : bytes_(bytes), in_block_(std::min(most, packets_per_block)) {}
  std::byte* take() {
    if (idle_.empty()) add_block();
    std::byte* const last = idle_.back();
    idle_.pop_back();
    return last;
  }
  void give_back(std::byte* array) { idle_.push_back(array); }

 private:
  static constexpr std::size_t packets_per_block = 16;

  void add_block() {
    blocks_.emplace_back(static_cast<std::int64_t>(in_block_ * bytes_));
    for (std::size_t i = in_block_; i > 0; --i) {
      idle_.push_back(blocks_.back().get() + (i - 1) * bytes_);
    }
  }

  const std::size_t bytes_;
  const std::size_t in_block_;
  std::vector<HostArray<std::byte>> blocks_;
  std::vector<std::byte*> idle_;
};

}  // namespace

void filter_segments_cpu(SegmentFilter& endpoint, const AnyInterval& interval) {
  OrderedOutput& output = endpoint.output;
  PacketArrays arrays(endpoint.in.packet_size(), endpoint.max_early + 1);
  EarlyValues early;
  const auto write_down_to = [&](std::size_t most) {
    const auto reuse = [&](std::byte* array) { arrays.give_back(array); };
    early.write_to(output, reuse);
    while (early.size() > most) {
      output.wait_for_place(early.oldest(), endpoint.name);
      early.write_to(output, reuse);
    }
  };
  const auto filter_early = [&](std::span<const std::byte> values, SegmentRange segment) {
    std::byte* const passed = arrays.take();
    const std::size_t n = interval.filter(values, passed);
    output.count(segment, n);
    if (n == 0) return arrays.give_back(passed);
    early.add(segment.begin, {passed, n * output.value_size()});
  };
  while (std::optional<runtime::PendingSegment> pending = endpoint.in.receive()) {
    const runtime::Segment& arrived = pending->wait_direct();
    const SegmentRange segment = range_of(arrived, output.value_size());
    const auto values = arrived.as<std::byte>();
    if (const std::span<std::byte> room = output.room_for(segment); !room.empty()) {
      output.count(segment, output.may_overwrite() ? interval.filter(values, room.data())
                                                   : interval.filter_within(values, room));
      static_cast<void>(output.take_place(segment.begin));  // it is there already
    } else {
      filter_early(values, segment);
    }
    pending->release();
    // The endpoint has counted all that it has received, so the others can go on while it waits.
    write_down_to(endpoint.max_early);
  }
  write_down_to(0);
}

}  // namespace warpgraph
