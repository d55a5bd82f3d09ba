// The result of a team, copied to the host chunk by chunk from all members at the same time.
// Devices convert one chunk while threads copy the one before. Not for use outside this folder.
#pragma once

#include "algorithms/apsp/accumulator_choice.hpp"
#include "algorithms/apsp/apsp.hpp"
#include "algorithms/apsp/team/member.cuh"
#include "core/cuda/copies/copy_out.hpp"

#include <algorithm>
#include <array>
#include <deque>

namespace warpgraph::apsp_detail {

template <class R>
class ResultChunks {
 public:
  /// Plans chunks of the rows of members that have `max_rows` at most.
  ResultChunks(const TeamMatrix& matrix, std::int64_t max_rows)
      : matrix_(matrix),
        max_rows_(max_rows),
        rows_(std::clamp<std::int64_t>(values_per_chunk / matrix.n_vertices, 1, max_rows)) {}

  /// Returns the bytes of a member's chunks on its device.
  [[nodiscard]] std::size_t bytes() const { return 2 * values() * sizeof(R); }

  /// Copies the rows of all members to the result. Waits.
  void copy(const std::deque<Member>& members, const ApspResult<R>& result) const {
    std::array<std::deque<cuda::DeviceBuffer<R>>, 2> chunks;  // of the members
    std::array<cuda::CopyOut, 2> copies;
    for (const Member& member : members) {
      for (auto& of_members : chunks) of_members.emplace_back(values(), member.stream);
    }
    std::size_t turn = 0;
    for (std::int64_t done = 0; done < max_rows_; done += rows_, turn ^= 1) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        begin_chunk(members[i], done, chunks[turn][i].data(), result, copies[turn]);
      }
      copies[turn ^ 1].finish();
    }
    copies[turn ^ 1].finish();
  }

 private:
  /// Values that a device converts and copies at a time: waking the threads that copy them takes a
  /// tenth of a millisecond or two, and four devices send 32 million values of 4 bytes each in 4
  /// milliseconds.
  static constexpr std::int64_t values_per_chunk = 32 << 20;

  [[nodiscard]] std::size_t values() const {
    return static_cast<std::size_t>(rows_ * matrix_.n_vertices);
  }

  /// Begins to convert and copy a chunk of a member's rows from `done` on, if any are left.
  void begin_chunk(const Member& member, std::int64_t done, R* chunk, const ApspResult<R>& result,
                   cuda::CopyOut& copies) const {
    const std::int64_t n_vertices = matrix_.n_vertices;
    const std::int64_t first = member.rows.first + done;
    const std::int64_t n = std::min(rows_, std::min(member.rows.end, n_vertices) - first);
    if (n <= 0) return;
    const cuda::DeviceGuard guard(member.stream.device());
    const DistanceMatrix from =
        member.matrix_rows({first, first + n}).submatrix(0, 0, n, n_vertices);
    dispatch_accumulator<R>(matrix_.acc, [&]<Accumulator acc>() {
      write_result<acc, R>(from.view<acc>(), {chunk, n_vertices, n, n_vertices}, first, 0,
                           member.errors.overflow_position(), member.stream);
    });
    copies.copy_rows(result.distances + first * result.row_stride, result.row_stride, chunk, n,
                     n_vertices, member.stream);
  }

  const TeamMatrix& matrix_;
  const std::int64_t max_rows_;
  const std::int64_t rows_;  // of a chunk
};

}  // namespace warpgraph::apsp_detail
