#include "flow.cuh"

namespace warpgraph::benchmark {

Seconds time_link(Source& source, Device to, LinkShape shape, int n) {
  const bool from_host = !source.device().is_cuda();
  runtime::Context context(from_host ? std::vector<Device>{to}
                                     : std::vector<Device>{to, source.device()});
  const runtime::Endpoint sink = context.endpoints()[0];
  const runtime::Endpoint sender = from_host ? context.host() : context.endpoints()[1];
  runtime::Link& link =
      context.link(sender, sink, shape.packet, shape.n_buffers, shape.through_host);
  Flow flow(source, 1);
  Seconds seconds;
  const auto send_all = [&] {
    seconds = flow.time_messages(n, [&](const runtime::Segment& all) { link.send(all); });
  };
  context.run(
      [&](runtime::Endpoint endpoint) {
        if (endpoint == sink) {
          flow.receive_all(link, to, true);
        } else {
          send_all();
        }
      },
      [&] {
        if (from_host) send_all();
      });
  flow.expect_checked();
  return seconds;
}

Seconds time_plain_copy(Source& source, Device to, int n) {
  return time_plain(source, to, n, [&](Word* target, const cuda::Stream& stream) {
    if (source.device().is_cuda()) {
      CUDA_TRY(cudaMemcpyPeerAsync(target, to.index, source.words(), source.device().index,
                                   source.bytes(), stream.get()));
    } else {
      cuda::copy(target, source.words(), source.bytes() / sizeof(Word), stream);
    }
  });
}

}  // namespace warpgraph::benchmark
