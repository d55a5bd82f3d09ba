// The Python module warpgraph_experiments. Its functions take graphs of warpgraph._core, which is
// imported first: that registers the classes, and the translation of exceptions.
#include "bindings/shutdown.hpp"
#include "core/threads/parallel.hpp"

#include <pybind11/pybind11.h>

namespace warpgraph {

namespace py = pybind11;

using Init = void(py::module_&);
Init init_client, init_experiments_sssp, init_near_far_on_cores, init_experiments_mst,
    init_shutdown;

}  // namespace warpgraph

PYBIND11_MODULE(warpgraph_experiments, module) {
  using namespace warpgraph;
  py::module_::import("warpgraph");
  // The module has threads of its own.
  module.def("set_num_threads", &set_num_threads, py::arg("n"));
  for (Init* init : {&init_client, &init_experiments_sssp, &init_near_far_on_cores,
                     &init_experiments_mst, &init_shutdown}) {
    init(module);
  }
}
