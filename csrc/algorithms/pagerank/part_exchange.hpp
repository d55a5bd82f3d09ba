// The exchange of endpoints after each sweep: the contributions of their parts, and their totals.
#pragma once

#include "algorithms/pagerank/sweep.hpp"
#include "core/error.hpp"
#include "graph/partition/partition.hpp"
#include "runtime/link.hpp"

#include <array>
#include <optional>

namespace warpgraph::pagerank {

/// The memory of one endpoint, after even or odd numbers of sweeps.
struct ExchangedArrays {
  double* contributions;  // of all vertices
  Totals* totals;         // of all parts
};

/// The exchange by one endpoint. The arrays after even and odd numbers of sweeps are overwritten in
/// turns. That needs no wait for deliveries: an endpoint writes those after k + 2 sweeps when it
/// has all parts after k + 1, which others send when they have received its own after k. For the
/// same reason what arrives belongs to this sweep or to the next one, whose arrays are not read any
/// more by then.
class PartExchange {
 public:
  PartExchange(const PartitionView& partition, int part, runtime::Link& in, runtime::Link& out)
      : partition_(partition), part_(part), in_(in), out_(out) {}

  /// Returns the first vertex of the part.
  [[nodiscard]] vertex_t begin() const noexcept { return partition_.begin(part_); }
  [[nodiscard]] vertex_t end() const noexcept { return partition_.end(part_); }
  [[nodiscard]] vertex_t size() const noexcept { return partition_.size(part_); }
  [[nodiscard]] std::size_t n_totals() const noexcept {
    return static_cast<std::size_t>(partition_.n_parts);
  }

  void set_arrays(const std::array<ExchangedArrays, 2>& arrays) { arrays_ = arrays; }
  [[nodiscard]] const ExchangedArrays& after(int sweeps) const noexcept {
    return arrays_[static_cast<std::size_t>(sweeps % 2)];
  }
  /// Returns the place of this part's totals in after(sweeps).
  [[nodiscard]] Totals* own_totals(int sweeps) const noexcept {
    return after(sweeps).totals + part_;
  }
  [[nodiscard]] SweepVectors vectors(const Iteration& iteration, double mass) const {
    return {after(iteration.sweeps).contributions, after(iteration.sweeps + 1).contributions, mass,
            iteration.acceleration.omega()};
  }

  /// Sends this part to all others.
  void send(int sweeps) {
    if (partition_.n_parts == 1) return;
    const double* const contributions = after(sweeps).contributions;
    send_items(std::span<const double>(contributions + begin(), contributions + end()),
               contributions_of_part, sweeps);
    const std::span<const Totals> totals(own_totals(sweeps), 1);
    send_items(totals, totals_of_part, sweeps);
  }

  /// Receives until all other parts are there. wait_into(pending, place) brings a segment to its
  /// place in the arrays.
  template <class WaitInto>
  void receive(int sweeps, const WaitInto& wait_into) {
    Arrived& arrived = arrived_[static_cast<std::size_t>(sweeps % 2)];
    const auto n_vertices = partition_.end(partition_.n_parts - 1);
    while (arrived.parts < partition_.n_parts - 1 || arrived.vertices < n_vertices - size()) {
      std::optional<runtime::PendingSegment> pending = in_.receive();
      EXPECTS(pending, "an endpoint of PageRank has ended before the others");
      take(*pending, wait_into);
    }
    arrived = {};
  }

 private:
  enum SegmentType : std::int64_t { contributions_of_part, totals_of_part };

  struct Arrived {
    std::int64_t vertices = 0;
    int parts = 0;
  };

  template <class T>
  void send_items(std::span<const T> items, SegmentType type, int sweeps) {
    runtime::Segment segment = runtime::segment_of(items, sweeps);
    segment.item_type = type;
    if (type == totals_of_part) segment.item_bytes = segment.bytes;
    out_.send(segment);
  }

  template <class WaitInto>
  void take(runtime::PendingSegment& pending, const WaitInto& wait_into) {
    const runtime::Segment& segment = pending.description();
    const auto sweeps = static_cast<int>(segment.metadata);
    const int part = segment.source.id;
    const ExchangedArrays& arrays = after(sweeps);
    Arrived& arrived = arrived_[static_cast<std::size_t>(sweeps % 2)];
    if (segment.item_type == totals_of_part) {
      ++arrived.parts;
      wait_into(pending, reinterpret_cast<std::byte*>(arrays.totals + part));
    } else {
      arrived.vertices += static_cast<std::int64_t>(segment.bytes / sizeof(double));
      double* const first = arrays.contributions + partition_.begin(part);
      wait_into(pending, reinterpret_cast<std::byte*>(first) + segment.offset);
    }
  }

  const PartitionView& partition_;
  const int part_;
  runtime::Link& in_;
  runtime::Link& out_;
  std::array<ExchangedArrays, 2> arrays_{};
  std::array<Arrived, 2> arrived_;  // after even and odd numbers of sweeps
};

}  // namespace warpgraph::pagerank
