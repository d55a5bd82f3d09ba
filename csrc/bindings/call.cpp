#include "bindings/call.hpp"

namespace warpgraph {

// All bindings are one unit, so that these would be compiled into each call all the same.
[[gnu::noinline]] ReleasedCall::ReleasedCall(py::object progress) : hooks_(std::move(progress)) {}
[[gnu::noinline]] ReleasedCall::~ReleasedCall() = default;

}  // namespace warpgraph
