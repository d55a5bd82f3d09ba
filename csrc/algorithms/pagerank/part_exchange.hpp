// The exchange of endpoints after each sweep: the contributions of their parts, and their totals.
#pragma once

#include "algorithms/pagerank/sweep.hpp"
#include "core/error.hpp"
#include "core/memory/host_vector.hpp"
#include "graph/partition/partition.hpp"
#include "runtime/link.hpp"

#include <array>
#include <optional>
#include <vector>

namespace warpgraph::pagerank {

/// One endpoint's arrays, and its exchange. The arrays after even and odd numbers of sweeps are
/// overwritten in turns. That needs no wait for deliveries: an endpoint writes those after k + 2
/// sweeps when it has all parts after k + 1, which others send when they have received its own
/// after k. For the same reason what arrives belongs to this sweep or to the next one, whose arrays
/// are not read any more by then.
class PartExchange {
 public:
  PartExchange(const PartitionView& partition, int part, runtime::Link& in, runtime::Link& out)
      : partition_(partition),
        part_(part),
        in_(in),
        out_(out),
        contributions_{HostArray<double>(n_vertices()), HostArray<double>(n_vertices())},
        totals_{std::vector<Totals>(n_parts()), std::vector<Totals>(n_parts())} {}

  /// Returns the first vertex of the part.
  [[nodiscard]] vertex_t begin() const noexcept { return partition_.begin(part_); }
  [[nodiscard]] vertex_t end() const noexcept { return partition_.end(part_); }

  /// Returns the contributions of all vertices.
  [[nodiscard]] double* contributions_after(int sweeps) const noexcept {
    return contributions_[turn(sweeps)].get();
  }

  /// Sends the contributions of this part with these totals to all others, receives those of all
  /// others, and returns the sum of the totals.
  Totals exchange(int sweeps, const Totals& own) {
    std::vector<Totals>& totals = totals_[turn(sweeps)];
    totals[static_cast<std::size_t>(part_)] = own;
    if (n_parts() > 1) {
      const double* const contributions = contributions_after(sweeps);
      send_items(std::span<const double>(contributions + begin(), contributions + end()),
                 contributions_of_part, sweeps);
      send_items(std::span<const Totals>(&totals[static_cast<std::size_t>(part_)], 1),
                 totals_of_part, sweeps);
    }
    receive(sweeps);
    Totals sum;
    for (const Totals& of_part : totals) sum.add(of_part);
    return sum;
  }

 private:
  enum SegmentType : std::int64_t { contributions_of_part, totals_of_part };

  struct Arrived {
    std::int64_t vertices = 0;
    std::size_t parts = 0;
  };

  static std::size_t turn(int sweeps) noexcept { return static_cast<std::size_t>(sweeps % 2); }
  [[nodiscard]] std::size_t n_parts() const noexcept {
    return static_cast<std::size_t>(partition_.n_parts);
  }
  [[nodiscard]] vertex_t n_vertices() const noexcept {
    return partition_.end(partition_.n_parts - 1);
  }

  template <class T>
  void send_items(std::span<const T> items, SegmentType type, int sweeps) {
    runtime::Segment segment = runtime::segment_of(items, sweeps);
    segment.item_type = type;
    if (type == totals_of_part) segment.item_bytes = segment.bytes;
    out_.send(segment);
  }

  /// Receives until all other parts are there.
  void receive(int sweeps) {
    Arrived& arrived = arrived_[turn(sweeps)];
    const vertex_t n_others = n_vertices() - partition_.size(part_);
    while (arrived.parts < n_parts() - 1 || arrived.vertices < n_others) {
      std::optional<runtime::PendingSegment> pending = in_.receive();
      EXPECTS(pending, "an endpoint of PageRank has ended before the others");
      take(*pending);
    }
    arrived = {};
  }

  /// Copies a segment to its place in the arrays.
  void take(runtime::PendingSegment& pending) {
    const runtime::Segment& segment = pending.description();
    const auto sweeps = static_cast<int>(segment.metadata);
    const int part = segment.source.id;
    Arrived& arrived = arrived_[turn(sweeps)];
    if (segment.item_type == totals_of_part) {
      ++arrived.parts;
      Totals& totals = totals_[turn(sweeps)][static_cast<std::size_t>(part)];
      pending.wait_into(reinterpret_cast<std::byte*>(&totals));
    } else {
      arrived.vertices += static_cast<std::int64_t>(segment.bytes / sizeof(double));
      double* const first = contributions_after(sweeps) + partition_.begin(part);
      pending.wait_into(reinterpret_cast<std::byte*>(first) + segment.offset);
    }
  }

  const PartitionView& partition_;
  const int part_;
  runtime::Link& in_;
  runtime::Link& out_;
  // These are of even and odd numbers of sweeps.
  const std::array<HostArray<double>, 2> contributions_;
  std::array<std::vector<Totals>, 2> totals_;
  std::array<Arrived, 2> arrived_;
};

}  // namespace warpgraph::pagerank
