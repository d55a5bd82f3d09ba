#include "core/cuda/events/event_pool.hpp"
#include "runtime/devices/stream_point.hpp"

#include <atomic>

namespace warpgraph::runtime {
namespace {

class RecordedEvent final : public StreamPoint {
 public:
  explicit RecordedEvent(StreamRef stream) : event_(stream.device) {
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
  void hold(StreamRef stream) override {
    if (is_reached_) return;
    const cuda::DeviceGuard guard(stream.device);
    CUDA_TRY(cudaStreamWaitEvent(stream.handle, event_->get(), 0));
  }
  void finish() noexcept override { cudaEventSynchronize(event_->get()); }

 private:
  const cuda::BorrowedEvent event_;
  std::atomic<bool> is_reached_{false};
};

}  // namespace

StreamRef ref(const cuda::Stream& stream) { return {stream.device(), stream.get()}; }

std::shared_ptr<StreamPoint> point_on(StreamRef stream) {
  const cuda::DeviceGuard guard(stream.device);
  return std::make_shared<RecordedEvent>(stream);
}

}  // namespace warpgraph::runtime
