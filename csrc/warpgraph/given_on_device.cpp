#include "warpgraph/given_on_device.hpp"

#include "core/memory/host_vector.hpp"
#include "core/memory/memory_budget.hpp"
#include "warpgraph/client.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/copies/copy_out.hpp"
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {

SharedArray ArrayOnDevice::copy_to_host(const char* what) const {
  const std::size_t bytes = array_.bytes();
  MemoryBudget().require(concat("copying the ", what, " of the graph to the host"), bytes,
                         "use a device that has the graph");
  const auto made = std::make_shared<HostArray<std::byte>>(static_cast<std::int64_t>(bytes));
#if defined(WARPGRAPH_HAS_CUDA)
  if (bytes != 0) {
    client().log(concat(what, " of the graph, ", bytes, " bytes, are copied from ",
                        array_.device.name(), " to the host"));
    cuda::copy_out(made->get(), static_cast<const std::byte*>(array_.data), bytes,
                   *cuda::BorrowedStream(array_.device));
  }
#endif
  return {array_.type, made->get(), array_.size, made, {}};
}

const SharedArray& ArrayOnDevice::on_host(const char* what) {
  if (const SharedArray* const known = on_host_.if_made()) return *known;
  run_as_call([&] {
    on_host_.with([&] { return std::make_unique<SharedArray>(copy_to_host(what)); },
                  [](const SharedArray&) {});
  });
  return *on_host_.if_made();
}

StructureOnDevice::StructureOnDevice(const CsrPattern& host, const SharedArray& offsets,
                                     const SharedArray& heads)
    : offsets(offsets), heads(heads), pattern(host) {
  EXPECTS(offsets.device == heads.device, "indptr lies on ", offsets.device.name(),
          " and indices on ", heads.device.name(), "; the arrays of a graph lie on one device");
  EXPECTS(offsets.size == host.n_vertices + std::int64_t{1}, "indptr has ", offsets.size,
          " entries on ", offsets.device.name(), " and ", host.n_vertices + std::int64_t{1},
          " on the host");
  pattern.offsets = host.offsets.is_wide() ? Offsets(offsets.items<std::int64_t>().data())
                                           : Offsets(offsets.items<std::int32_t>().data());
  pattern.heads = heads.items<vertex_t>().data();
}

}  // namespace warpgraph
