#include "core/cuda/events/event_pool.hpp"
#include "core/cuda/events/stream_gate.hpp"
#include "runtime/devices/stream_point.hpp"

#include <atomic>

namespace warpgraph::runtime {
namespace {

class RecordedEvent final : public StreamPoint {
 public:
  explicit RecordedEvent(StreamRef stream) : StreamPoint(stream), event_(stream.device) {
    event_->record(stream.handle);
  }
  bool is_reached() override {
    if (is_reached_) return true;
    const cudaError_t status = cudaEventQuery(event_->get());
    if (status == cudaErrorNotReady) return false;
    CUDA_TRY(status);
    is_reached_ = true;
    return true;
  }

 private:
  bool make_wait(StreamRef stream) override {
    if (is_reached_) return false;
    CUDA_TRY(cudaStreamWaitEvent(stream.handle, event_->get(), 0));
    return true;
  }

  const cuda::BorrowedEvent event_;
  std::atomic<bool> is_reached_{false};
};

class StreamGate final : public Gate {
 public:
  explicit StreamGate(StreamRef stream) : gate_(stream.handle) {}
  void open() noexcept override { gate_.open(); }
  void open_after(StreamRef stream) override { gate_.open_after(stream.handle); }
  bool is_open() const noexcept override { return gate_.is_open(); }

 private:
  cuda::StreamGate gate_;
};

}  // namespace

StreamRef ref(const cuda::Stream& stream) { return {stream.device(), stream.get()}; }

std::shared_ptr<StreamPoint> point_on(StreamRef stream) {
  const cuda::DeviceGuard guard(stream.device);
  return std::make_shared<RecordedEvent>(stream);
}

std::shared_ptr<Gate> gate_on(StreamRef stream) {
  if (!cuda::StreamGate::is_supported()) return nullptr;
  cuda::call_before_waits([](const cuda::Stream& held) noexcept { wait_while_held(ref(held)); });
  const cuda::DeviceGuard guard(stream.device);
  return std::make_shared<StreamGate>(stream);
}

}  // namespace warpgraph::runtime
