// Distributed worklists of arrays: the part of runtime/_worklist.py that is in the core. Python has
// the queues and the callbacks, the core the agreement of the workers and their waits.
#include "bindings/hand_over.hpp"
#include "bindings/runtime/segment_arrays.hpp"
#include "runtime/worklist/host_agreement.hpp"

#include <pybind11/stl.h>

namespace warpgraph {
namespace {

using runtime::HostAgreement, runtime::Link, runtime::PendingSegment, runtime::Priority;

struct RuntimeWorklist {
  std::shared_ptr<runtime::Context> context;
  HostAgreement agreement;
};

Owned<RuntimeWorklist> make_worklist(std::shared_ptr<runtime::Context> context,
                                     const std::vector<RuntimeLink*>& inboxes,
                                     Priority first_threshold, Priority step) {
  std::vector<Link*> links;
  for (const RuntimeLink* inbox : inboxes) links.push_back(inbox->link);
  return hand_over(std::make_unique<RuntimeWorklist>(
      RuntimeWorklist{std::move(context), HostAgreement(std::move(links), first_threshold, step)}));
}

/// Returns the next items that have arrived for a worker, and their metadata. Does not wait.
/// Between batches, this is also where a worker leaves a run that has failed.
std::optional<Tuple<py::array, std::int64_t>> receive_items(const RuntimeWorklist& list,
                                                            std::size_t worker,
                                                            const py::dtype& dtype) {
  runtime::check_thread();
  std::optional<PendingSegment> pending = list.agreement.inbox(worker).try_receive();
  if (!pending) return std::nullopt;
  const std::int64_t metadata = pending->description().metadata;
  return py::make_tuple(wait_for_array(*pending, dtype), metadata);
}

/// Returns the number of the round, or nothing after the end.
std::optional<std::uint64_t> round_of(const RuntimeWorklist& list) {
  const std::uint64_t round = list.agreement.round();
  if (round == runtime::Agreement::ended) return std::nullopt;
  return round;
}

void wait(const RuntimeWorklist& list, std::size_t worker, std::uint64_t seen) {
  wait_released([&] { list.agreement.wait(worker, seen); });
}

void set_deferred(RuntimeWorklist& list, std::size_t worker, std::int64_t count,
                  Priority most_urgent) {
  list.agreement.deferred(worker) = {count, most_urgent};
}

}  // namespace

void init_runtime_worklist(py::module_& module) {
  py::class_<RuntimeWorklist>(module, "RuntimeWorklist")
      .def("receive", &receive_items, py::arg("worker"), py::arg("dtype"))
      .def("round", &round_of)
      .def("threshold", [](const RuntimeWorklist& of) { return of.agreement.threshold(); })
      .def("wait", &wait, py::arg("worker"), py::arg("seen"))
      .def("set_deferred", &set_deferred, py::arg("worker"), py::arg("count"),
           py::arg("most_urgent"))
      .def(
          "settle", [](RuntimeWorklist& of, std::int64_t change) { of.agreement.settle(change); },
          py::arg("change"));
  module.def("runtime_worklist", &make_worklist, py::arg("context"), py::arg("inboxes"),
             py::arg("first_threshold"), py::arg("step"));
}

}  // namespace warpgraph
