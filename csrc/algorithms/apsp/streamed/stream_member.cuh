// A member of the streamed method: a device, or a share of one, that bands pass through. Not for
// use outside this folder.
#pragma once

#include "algorithms/apsp/streamed/device_errors.cuh"
#include "algorithms/apsp/streamed/pivot_panels.hpp"
#include "algorithms/apsp/streamed/streamed.hpp"
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/stream_pool.hpp"

#include <deque>
#include <functional>

namespace warpgraph::apsp_detail {

/// The input of a member: its stream, and the function that writes the initial matrix.
struct MemberInput {
  const cuda::Stream* stream;
  /// Writes the rows of the initial matrix from `first` on, as the template write_adjacency() does.
  std::function<void(std::int64_t first, const DistanceMatrix& rows, const cuda::Stream& stream)>
      write_adjacency;
};

/// A band in flight, on its own stream.
struct Slot {
  cuda::BorrowedStream stream;
  cuda::DeviceBuffer<std::byte> band;
  cuda::PinnedBuffer<std::byte> staged;
  cuda::Event done;
  std::int64_t first = 0;
  std::int64_t n_rows = 0;  // still to be stored; 0: the slot is free

  Slot(Device device, std::size_t bytes)
      : stream(device), band(bytes, *stream), staged(bytes), done(device, cudaEventDisableTiming) {}
  /// Waits, since copies must end before buffers are freed.
  ~Slot() { (*stream).finish(); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
};

/// A member with the panels of a stage and slots for bands. The closed columns of its own rows lie
/// in its memory alone; the crossing and the rows of the pivots lie in the memory of each member.
class StreamMember {
 public:
  StreamMember(const MemberInput& input, Accumulator acc, std::int64_t n_vertices,
               const StreamPlan& plan, RowRange own)
      : input_(input),
        acc_(acc),
        n_vertices_(n_vertices),
        plan_(plan),
        own_(own),
        stream_(*input.stream),
        rows_(bytes(plan.depth, plan.side), stream_),
        columns_(bytes(plan.depth, plan.side), stream_),
        diagonal_(bytes(plan.depth, plan.depth), stream_),
        errors_(stream_),
        ready_(stream_.device(), cudaEventDisableTiming) {
    const cuda::DeviceGuard guard(stream_.device());
    for (int i = 0; i < StreamPlan::n_slots; ++i) {
      slots_.emplace_back(stream_.device(), bytes(plan.band, plan.side));
      fill_padding(slots_.back().staged.data());
      poll();
    }
    stream_.synchronize();  // the buffers were allocated on this stream and are used on others
  }
  StreamMember(const StreamMember&) = delete;
  StreamMember& operator=(const StreamMember&) = delete;

  /// Waits for all work: after an error, others may still be copying from and to this member's
  /// memory.
  void wait() const noexcept {
    stream_.finish();
    for (const Slot& slot : slots_) (*slot.stream).finish();
  }

  [[nodiscard]] RowRange own_rows() const { return own_; }
  [[nodiscard]] std::deque<Slot>& slots() { return slots_; }
  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }

  [[nodiscard]] PivotPanels panels_at(std::int64_t first) const {
    const std::int64_t depth = std::min(plan_.depth, plan_.side - first);
    return {{acc_, rows_.data(), plan_.side, depth, plan_.side},
            columns_of({first, first + depth}, depth),
            {acc_, diagonal_.data(), plan_.depth, depth, depth},
            first,
            plan_.tile};
  }

  /// Writes the rows of the first stage, and its columns in the member's own rows.
  void init_panels() const {
    const cuda::DeviceGuard guard(stream_.device());
    const PivotPanels panels = panels_at(0);
    input_.write_adjacency(0, panels.rows, stream_);
    if (own_.size() == 0) return;
    input_.write_adjacency(own_.first, columns_of(own_, panels.depth()), stream_);
  }

  /// Enqueues the copy of loaded pivot rows, first .. first + n - 1, on a slot's stream.
  void copy_pivot_rows(std::size_t slot, const PivotPanels& panels, std::int64_t first,
                       std::int64_t n, const std::byte* loaded) const {
    const cuda::Stream& stream = *slots_[slot].stream;
    cuda::copy(panels.rows.at(first - panels.first, 0), loaded, bytes(n, plan_.side), stream);
    slots_[slot].done.record(stream.get());
  }
  /// Fills the padding rows beyond the last vertex, which are not loaded, and waits for the others.
  void finish_pivot_rows(const PivotPanels& panels) const {
    const cuda::DeviceGuard guard(stream_.device());
    const std::int64_t end = std::min(panels.end(), n_vertices_);
    const DistanceMatrix& rows = panels.rows;
    fill_unreachable(rows.submatrix(end - panels.first, 0, panels.end() - end, rows.columns),
                     stream_);
    wait_for_slots();
  }

  /// Copies the diagonal block from the pivot rows.
  void load_diagonal(const PivotPanels& panels) const {
    const cuda::DeviceGuard guard(stream_.device());
    const std::int64_t depth = panels.depth();
    copy_submatrix(panels.rows.submatrix(0, panels.first, depth, depth), panels.diagonal, stream_);
  }
  /// Enqueues a round of the diagonal block. Waits for the round before, so that Ctrl-C is handled
  /// in time.
  void submit_diagonal_round(const PivotPanels& panels, std::int64_t round) const {
    const cuda::DeviceGuard guard(stream_.device());
    update_diagonal_block(panels, round, errors_.negative(), stream_);
    ready_.synchronize();
    ready_.record(stream_.get());
  }
  /// Throws NegativeCycle if one was found in the rounds of the diagonal block. Waits.
  void refuse_negative_cycle() const { errors_.refuse_negative_cycle(); }

  /// Enqueues a round of the pivot columns in the member's own rows, and of as many columns of the
  /// pivot rows: those before the pivots and those after them. These four parts run concurrently,
  /// on the streams of the slots, which have no bands yet. Waits for the round before, so that
  /// Ctrl-C is handled in time.
  void submit_round(const PivotPanels& panels, std::int64_t round) const {
    const cuda::DeviceGuard guard(stream_.device());
    const std::array<RowRange, 2> outer = around(own_, panels.pivots());
    for (std::size_t i = 0; i < 2; ++i) {
      update_pivot_rows(panels, outer[i].first, outer[i].end, round, *slots_[i].stream);
      update_pivot_columns(panels, columns_of(outer[i], panels.depth()), round,
                           *slots_[2 + i].stream);
    }
    for (const Slot& slot : slots_) {
      slot.done.synchronize();
      slot.done.record((*slot.stream).get());
    }
  }
  /// Makes later work on the member's stream wait for the slots.
  void wait_for_slots() const {
    for (const Slot& slot : slots_) stream_.wait_for(slot.done.get());
  }
  void record_ready() const { ready_.record(stream_.get()); }
  void wait_for(const StreamMember& other) const { stream_.wait_for(other.ready_.get()); }

  /// Sends the columns of the pivot rows that this member has closed to another member.
  void send_rows(const PivotPanels& panels, const StreamMember& other) const {
    for (const RowRange outer : around(own_, panels.pivots())) {
      const std::int64_t offset = outer.first * item_bytes();
      cuda::copy_rows(other.rows_.data() + offset, rows_.data() + offset, plan_.side * item_bytes(),
                      panels.depth(), outer.size() * item_bytes(), stream_);
    }
  }

  void mask_panels(const PivotPanels& panels) const {
    const cuda::DeviceGuard guard(stream_.device());
    mask_rows(panels, stream_);
    mask_crossing(panels, stream_);
  }
  /// Lets slots use the results of the member's stream so far.
  void release_to_slots() const {
    ready_.record(stream_.get());
    for (const Slot& slot : slots_) (*slot.stream).wait_for(ready_.get());
  }

  /// Returns whether a band is loaded from the host. In the first stage it is made of the graph's
  /// arcs instead, and a band of pivots is made of the panels.
  [[nodiscard]] static bool is_loaded(RowRange band, const PivotPanels& panels) {
    return panels.first > 0 && common(panels.pivots(), band).size() == 0;
  }

  /// Enqueues all work of the stage on a band. If it is loaded, its rows are in slot.staged.
  /// `owner` has its columns.
  void submit(Slot& slot, RowRange band, const PivotPanels& panels,
              const StreamMember& owner) const {
    const cuda::DeviceGuard guard(stream_.device());
    const cuda::Stream& stream = *slot.stream;
    const std::int64_t n = band.size();
    const DistanceMatrix rows{acc_, slot.band.data(), plan_.side, n, plan_.side};
    const std::int64_t depth = panels.depth();
    const DistanceMatrix columns = columns_of(band, depth);
    const DistanceMatrix pivot_columns = rows.submatrix(0, panels.first, n, depth);
    const bool is_pivot_band = common(panels.pivots(), band).size() > 0;
    const std::int64_t offset = band.first - panels.first;
    if (is_pivot_band) {
      copy_submatrix(panels.rows.submatrix(offset, 0, n, plan_.side), rows, stream);
    } else {
      if (is_loaded(band, panels)) {
        cuda::copy(rows.data, static_cast<const std::byte*>(slot.staged.data()),
                   bytes(n_vertices_in(band), plan_.side), stream);
      } else {
        input_.write_adjacency(band.first, rows, stream);
      }
      copy_columns(band, owner, *this, stream);
      copy_submatrix(columns, pivot_columns, stream);
    }
    multiply_into(rows, columns, panels.rows, stream);
    if (is_pivot_band) {
      copy_submatrix(panels.diagonal.submatrix(offset, 0, n, depth), pivot_columns, stream);
    }
    if (panels.end() < plan_.side) save_next_columns(rows, band, panels.end(), owner, stream);
    slot.first = band.first;
    slot.n_rows = n_vertices_in(band);
    cuda::copy(slot.staged.data(), static_cast<const std::byte*>(rows.data),
               bytes(slot.n_rows, plan_.side), stream);
    slot.done.record(stream.get());
  }

  /// Returns the number of rows of a band without padding rows beyond the last vertex, which stay
  /// on the device.
  [[nodiscard]] std::int64_t n_vertices_in(RowRange band) const {
    return std::min(band.end, n_vertices_) - band.first;
  }

 private:
  [[nodiscard]] std::int64_t item_bytes() const { return bytes_per_value(acc_); }
  [[nodiscard]] std::size_t bytes(std::int64_t rows, std::int64_t columns) const {
    return static_cast<std::size_t>(rows * columns * item_bytes());
  }

  /// Returns the part of the columns of a stage in some rows.
  [[nodiscard]] DistanceMatrix columns_of(RowRange rows, std::int64_t depth) const {
    return {acc_, columns_.data() + rows.first * plan_.depth * item_bytes(), plan_.depth,
            rows.size(), depth};
  }
  /// Fills the padding columns beyond the last vertex, which are never loaded.
  void fill_padding(std::byte* rows) const {
    with_accumulator(acc_, [&]<Accumulator acc>() {
      auto* const values = reinterpret_cast<AccumulatorValue<acc>*>(rows);
      for (std::int64_t i = 0; i < plan_.band; ++i) {
        std::fill_n(values + i * plan_.side + n_vertices_, plan_.side - n_vertices_,
                    ArithmeticOf<acc>::infinity);
      }
    });
  }

  /// Copies the columns of a band between its owner and the member that it passes through. Only
  /// this band reads them.
  void copy_columns(RowRange band, const StreamMember& from, const StreamMember& to,
                    const cuda::Stream& stream) const {
    if (&from == &to) return;
    const std::int64_t begin = band.first * plan_.depth * item_bytes();
    cuda::copy(to.columns_.data() + begin,
               static_cast<const std::byte*>(from.columns_.data() + begin),
               bytes(band.size(), plan_.depth), stream);
  }
  /// Saves a band's part of the columns with which the next stage begins, at its owner.
  void save_next_columns(const DistanceMatrix& rows, RowRange band, std::int64_t next,
                         const StreamMember& owner, const cuda::Stream& stream) const {
    const std::int64_t depth = panels_at(next).depth();
    copy_submatrix(rows.submatrix(0, next, band.size(), depth), columns_of(band, depth), stream);
    copy_columns(band, *this, owner, stream);
  }

  const MemberInput input_;
  const Accumulator acc_;
  const std::int64_t n_vertices_;
  const StreamPlan plan_;
  const RowRange own_;
  const cuda::Stream& stream_;
  cuda::DeviceBuffer<std::byte> rows_;
  cuda::DeviceBuffer<std::byte> columns_;
  cuda::DeviceBuffer<std::byte> diagonal_;
  const DeviceErrors errors_;
  cuda::Event ready_;
  std::deque<Slot> slots_;
};

}  // namespace warpgraph::apsp_detail
