#include "algorithms/apsp/streamed/host_matrix.hpp"
#include "algorithms/apsp/streamed/pivot_panels.hpp"
#include "algorithms/apsp/streamed/streamed.hpp"
#include "algorithms/apsp/tiles/device_rounds.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/stream_pool.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace warpgraph::apsp_detail {
namespace {

/// Rows of the matrix, in whole tiles.
struct Band {
  std::int64_t first;
  std::int64_t n;
};

/// A band in flight, on its own stream.
template <class Value>
struct Slot {
  cuda::BorrowedStream stream;
  cuda::DeviceBuffer<Value> band;
  cuda::PinnedBuffer<Value> staged;
  cuda::Event done;
  std::int64_t first = 0;
  std::int64_t n_rows = 0;  // still to be stored; 0: the slot is free

  Slot(Device device, std::size_t size)
      : stream(device), band(size, *stream), staged(size), done(device, cudaEventDisableTiming) {}
  ~Slot() { cudaStreamSynchronize((*stream).get()); }  // before buffers are freed, copies must end
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
};

template <Accumulator acc, class R>
class StreamedApsp {
 public:
  StreamedApsp(const CsrView<R>& graph, const CsrView<R>& host, const StreamPlan& plan,
               ApspResult<R> result, const cuda::Stream& stream)
      : graph_(graph),
        host_(host),
        plan_(plan),
        result_(result),
        stream_(stream),
        matrix_(graph.n_vertices, result),
        rows_(items(plan.depth, plan.side), stream),
        columns_(items(plan.depth, plan.side), stream),
        diagonal_(items(plan.depth, plan.depth), stream),
        negative_(1, stream),
        ready_(stream.device(), cudaEventDisableTiming) {
    cuda::fill(negative_.data(), no_vertex, 1, stream_);
    for (auto& slot : slots_) {
      slot = std::make_unique<Slot<Value>>(stream.device(), items(plan.band, plan.side));
      fill_padding(slot->staged.data());
      poll();
    }
    stream_.synchronize();  // the buffers allocated there are used on other streams
  }

  void run() {
    for (std::int64_t first = 0; first < plan_.side; first += plan_.depth) {
      const PivotPanels<acc> panels = panels_at(first);
      first == 0 ? init_panels(panels) : load_rows(panels);
      close_panels(panels);
      process_bands(panels);
    }
  }

 private:
  using Value = AccumulatorValue<acc>;

  static std::size_t items(std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows * columns);
  }

  [[nodiscard]] PivotPanels<acc> panels_at(std::int64_t first) const {
    const std::int64_t depth = std::min(plan_.depth, plan_.side - first);
    return {{rows_.data(), plan_.side, depth, plan_.side},
            columns_of(first, depth, depth),
            {diagonal_.data(), plan_.depth, depth, depth},
            first,
            plan_.tile};
  }
  /// The part of the columns of a stage in some rows.
  [[nodiscard]] DistanceView<acc> columns_of(std::int64_t first_row, std::int64_t n_rows,
                                             std::int64_t depth) const {
    return {columns_.data() + first_row * plan_.depth, plan_.depth, n_rows, depth};
  }
  /// Padding columns beyond the last vertex are never loaded.
  void fill_padding(Value* rows) const {
    const std::int64_t n = graph_.n_vertices;
    for (std::int64_t i = 0; i < plan_.band; ++i) {
      std::fill_n(rows + i * plan_.side + n, plan_.side - n, ArithmeticOf<acc>::infinity);
    }
  }

  [[nodiscard]] bool is_last(const PivotPanels<acc>& panels) const {
    return panels.end() == plan_.side;
  }
  /// Padding rows beyond the last vertex stay on the device.
  [[nodiscard]] std::int64_t n_rows_of(const Band& band) const {
    return std::min<std::int64_t>(band.n, graph_.n_vertices - band.first);
  }

  void init_panels(const PivotPanels<acc>& panels) const {
    write_adjacency<acc, R>(graph_, panels.first, 0, panels.rows, stream_);
    write_adjacency<acc, R>(graph_, 0, panels.first, columns_of(0, plan_.side, panels.depth()),
                            stream_);
  }

  /// The bands of the previous stage have saved the columns already.
  void load_rows(const PivotPanels<acc>& panels) {
    const std::int64_t end = std::min<std::int64_t>(panels.end(), graph_.n_vertices);
    for (std::int64_t row = panels.first; row < end; row += plan_.band) {
      Slot<Value>& slot = next_slot();
      slot.done.synchronize();
      load(slot, row, std::min(plan_.band, end - row), panels.rows.row(row - panels.first));
      slot.done.record((*slot.stream).get());
    }
    if (end < panels.end()) {
      cuda::fill(panels.rows.row(end - panels.first), ArithmeticOf<acc>::infinity,
                 (panels.end() - end) * plan_.side, stream_);
    }
    for (const auto& slot : slots_) stream_.wait_for(slot->done.get());
  }

  void close_panels(const PivotPanels<acc>& panels) {
    const std::int64_t depth = panels.depth();
    copy_submatrix<acc>(panels.rows.submatrix(0, panels.first, depth, depth), panels.diagonal,
                        stream_);
    close_diagonal_block<acc>(panels, negative_.data(), stream_);
    const vertex_t negative = cuda::read_back(negative_.data(), stream_);
    if (negative != no_vertex) throw NegativeCycle(negative);
    for (std::int64_t round = 0; round < panels.n_rounds(); ++round) {
      update_pivot_rows<acc>(panels, 0, panels.first, round, *slots_[0]->stream);
      update_pivot_rows<acc>(panels, panels.end(), plan_.side, round, *slots_[1]->stream);
      update_pivot_columns<acc>(panels, columns_of(0, panels.first, depth), round,
                                *slots_[2]->stream);
      update_pivot_columns<acc>(panels, columns_of(panels.end(), plan_.side - panels.end(), depth),
                                round, *slots_[3]->stream);
      for (const auto& slot : slots_) {
        slot->done.synchronize();  // of the previous round, so that Ctrl-C is handled in time
        slot->done.record((*slot->stream).get());
      }
      poll();
    }
    for (const auto& slot : slots_) stream_.wait_for(slot->done.get());
    mask_rows<acc>(panels, stream_);
    mask_crossing<acc>(panels, stream_);
    ready_.record(stream_.get());
    for (const auto& slot : slots_) (*slot->stream).wait_for(ready_.get());
  }

  /// The stage's own rows are never in one band with others.
  void process_bands(const PivotPanels<acc>& panels) {
    const std::array<std::int64_t, 4> ends{0, panels.first, panels.end(), plan_.side};
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      for (std::int64_t first = ends[i]; first < ends[i + 1]; first += plan_.band) {
        Slot<Value>& slot = next_slot();
        drain(slot, is_last(panels));
        submit(slot, {first, std::min(plan_.band, ends[i + 1] - first)}, panels);
      }
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) drain(next_slot(), is_last(panels));
  }

  Slot<Value>& next_slot() { return *slots_[next_slot_++ % slots_.size()]; }

  /// Enqueues the copy of rows to the device. The slot's memory must be free.
  void load(Slot<Value>& slot, std::int64_t first, std::int64_t n, Value* to) {
    matrix_.load(first, n, slot.staged.data(), plan_.side);
    cuda::copy(to, slot.staged.data(), items(n, plan_.side), *slot.stream);
  }

  /// Enqueues all work of the stage on a band on the slot's stream.
  void submit(Slot<Value>& slot, const Band& band, const PivotPanels<acc>& panels) {
    const cuda::Stream& stream = *slot.stream;
    const DistanceView<acc> rows{slot.band.data(), plan_.side, band.n, plan_.side};
    const std::int64_t depth = panels.depth();
    const DistanceView<acc> columns = columns_of(band.first, band.n, depth);
    const DistanceView<acc> pivot_columns = rows.submatrix(0, panels.first, band.n, depth);
    const bool is_pivot_band = band.first >= panels.first && band.first < panels.end();
    const std::int64_t offset = band.first - panels.first;
    if (is_pivot_band) {
      copy_submatrix<acc>(panels.rows.submatrix(offset, 0, band.n, plan_.side), rows, stream);
    } else {
      if (panels.first == 0) {
        write_adjacency<acc, R>(graph_, band.first, 0, rows, stream);
      } else {
        load(slot, band.first, n_rows_of(band), rows.data);
      }
      copy_submatrix<acc>(columns, pivot_columns, stream);
    }
    multiply_into<acc>(rows, columns, panels.rows, stream);
    if (is_pivot_band) {
      copy_submatrix<acc>(panels.diagonal.submatrix(offset, 0, band.n, depth), pivot_columns,
                          stream);
    }
    if (!is_last(panels)) save_next_columns(rows, band, panels_at(panels.end()), stream);
    slot.first = band.first;
    slot.n_rows = n_rows_of(band);
    cuda::copy(slot.staged.data(), rows.data, items(slot.n_rows, plan_.side), stream);
    slot.done.record(stream.get());
  }

  /// Only this band reads its part of the columns.
  void save_next_columns(const DistanceView<acc>& rows, const Band& band,
                         const PivotPanels<acc>& next, const cuda::Stream& stream) const {
    copy_submatrix<acc>(rows.submatrix(0, next.first, band.n, next.depth()),
                        columns_of(band.first, band.n, next.depth()), stream);
  }

  /// Waits for the slot's band and stores it on the host.
  void drain(Slot<Value>& slot, bool last) {
    if (slot.n_rows == 0) return;
    slot.done.synchronize();
    const std::int64_t n = std::exchange(slot.n_rows, 0);
    if (last) {
      matrix_.convert(slot.first, n, slot.staged.data(), plan_.side);
      if constexpr (acc == Accumulator::saturating_int64) check_rows(slot.first, n);
    } else {
      matrix_.store(slot.first, n, slot.staged.data(), plan_.side);
    }
    rows_stored_ += n;
    report_progress(rows_stored_, plan_.n_stages() * graph_.n_vertices);
  }

  void check_rows(std::int64_t first, std::int64_t n) const {
    for (std::int64_t i = first; i < first + n; ++i) {
      check_saturation(host_, result_.distances + i * result_.row_stride);
      poll();
    }
  }

  const CsrView<R>& graph_;
  const CsrView<R>& host_;
  const StreamPlan plan_;
  const ApspResult<R> result_;
  const cuda::Stream& stream_;
  HostMatrix<acc, R> matrix_;
  cuda::DeviceBuffer<Value> rows_;
  cuda::DeviceBuffer<Value> columns_;
  cuda::DeviceBuffer<Value> diagonal_;
  cuda::DeviceBuffer<vertex_t> negative_;
  cuda::Event ready_;
  std::array<std::unique_ptr<Slot<Value>>, StreamPlan::n_slots> slots_;
  std::size_t next_slot_ = 0;
  std::int64_t rows_stored_ = 0;
};

}  // namespace

StreamPlan plan_stream(vertex_t n_vertices, std::size_t bytes_per_value, std::size_t available) {
  StreamPlan plan;
  plan.side = padded_side(n_vertices, ApspMethod::blocked);
  plan.tile = tile_side(n_vertices);
  const auto row = static_cast<std::size_t>(plan.side) * bytes_per_value;
  const std::size_t max_bytes =
      std::min(StreamPlan::max_band_bytes, available / 4 / StreamPlan::n_slots);
  const auto whole_tiles = [&](std::int64_t n) { return std::max(n / plan.tile, std::int64_t{1}); };
  plan.band =
      std::min(whole_tiles(static_cast<std::int64_t>(max_bytes / row)) * plan.tile, plan.side);
  const auto fits = [&] { return plan.device_bytes(bytes_per_value) <= available; };
  std::int64_t tiles = whole_tiles(std::min(StreamPlan::max_depth, plan.side));
  const auto deepen = [&] { plan.depth = tiles * plan.tile; };
  for (deepen(); tiles > 1 && !fits(); deepen()) --tiles;
  if (!fits()) plan.band = plan.tile;
  const std::int64_t n_stages = plan.n_stages();
  plan.depth = (plan.side / plan.tile + n_stages - 1) / n_stages * plan.tile;
  return plan;
}

template <Accumulator acc, class R>
void run_streamed(const CsrView<R>& graph, const CsrView<R>& host, const StreamPlan& plan,
                  ApspResult<R> result, const cuda::Stream& stream) {
  StreamedApsp<acc, R>(graph, host, plan, result, stream).run();
}

#define WARPGRAPH_INSTANTIATE(acc, R) WARPGRAPH_INSTANTIATE_FUNCTION(run_streamed, acc, R)
WARPGRAPH_FOR_EACH_ACCUMULATOR_AND_RESULT(WARPGRAPH_INSTANTIATE)
#undef WARPGRAPH_INSTANTIATE

}  // namespace warpgraph::apsp_detail
