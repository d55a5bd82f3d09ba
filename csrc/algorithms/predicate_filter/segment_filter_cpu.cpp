#include "algorithms/predicate_filter/early_values.hpp"
#include "algorithms/predicate_filter/filter_values.hpp"
#include "algorithms/predicate_filter/segment_filter.hpp"

#include <vector>

namespace warpgraph {
namespace {

/// The arrays for values that pass, of the size of a packet. The one that was used last is in the
/// cache.
template <class T>
class PacketArrays {
 public:
  explicit PacketArrays(std::size_t bytes) : items_(bytes / sizeof(T)) {}
  HostArray<T> take() {
    if (idle_.empty()) return HostArray<T>(static_cast<std::int64_t>(items_));
    HostArray<T> last = std::move(idle_.back());
    idle_.pop_back();
    return last;
  }
  void give_back(HostArray<T> array) { idle_.push_back(std::move(array)); }

 private:
  std::size_t items_;
  std::vector<HostArray<T>> idle_;
};

}  // namespace

template <class T>
void filter_segments_cpu(SegmentFilter<T>& endpoint, Interval<T> interval) {
  OrderedOutput<T>& output = endpoint.output;
  PacketArrays<T> arrays(endpoint.in.packet_size());
  EarlyValues<T> early;
  const auto write_down_to = [&](std::size_t most) {
    const auto reuse = [&](HostArray<T> array) { arrays.give_back(std::move(array)); };
    early.write_to(output, reuse);
    while (early.size() > most) {
      output.wait_for_place(early.oldest(), [&] { return endpoint.name; });
      early.write_to(output, reuse);
    }
  };
  const auto filter_early = [&](runtime::PendingSegment& pending, SegmentRange segment) {
    HostArray<T> passed = arrays.take();
    const std::size_t n =
        filter_values(pending.description().template as<T>(), interval, passed.get());
    output.count(segment, n);
    n > 0 ? early.add(segment.begin, std::move(passed), n) : arrays.give_back(std::move(passed));
  };
  while (std::optional<runtime::PendingSegment> pending = endpoint.in.receive()) {
    const runtime::Segment& values = pending->wait_direct();
    const SegmentRange segment = range_of<T>(values);
    if (T* const room = output.room_for(segment)) {
      output.count(segment, filter_values(values.template as<T>(), interval, room));
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
