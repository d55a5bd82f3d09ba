// Python as the client of the library.
#include "bindings/call.hpp"
#include "warpgraph/client.hpp"

#include <pybind11/pybind11.h>

namespace warpgraph {
namespace {

class Python final : public Client {
 public:
  void run(FunctionRef<void()> work) const override { run_released(work); }
  void log(const std::string& sentence) const override {
    const CallAside aside;
    const py::gil_scoped_acquire gil;
    py::module_::import("logging").attr("getLogger")("warpgraph").attr("info")("%s", sentence);
  }
};

}  // namespace

void init_client(py::module_& /*module*/) {
  static const Python& python = *new Python;  // threads may call after static objects are gone
  set_client(python);
}

}  // namespace warpgraph
