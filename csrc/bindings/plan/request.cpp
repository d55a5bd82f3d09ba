#include "bindings/plan/request.hpp"

#include "bindings/core/ledger.hpp"
#include "bindings/graphs.hpp"
#include "bindings/keywords.hpp"

#include <pybind11/stl.h>

namespace warpgraph {

using plan::Request;

Request request_of(const py::dict& given, const py::dtype& dtype) {
  Request request;
  set_named(request, given, keyword("method", &Request::method),
            keyword("devices_only", &Request::devices_only),
            keyword("is_directed", &Request::is_directed),
            keyword("unweighted", &Request::unweighted), keyword("is_kept", &Request::is_kept),
            keyword("is_restricted", &Request::is_restricted),
            keyword("has_limit", &Request::has_limit),
            keyword("wants_predecessors", &Request::wants_predecessors),
            keyword("n_sources", &Request::n_sources), keyword("n_targets", &Request::n_targets),
            keyword("n_landmarks", &Request::n_landmarks),
            keyword("some_sources", &Request::some_sources),
            keyword("results_on_device", &Request::results_on_device),
            keyword("maximum", &Request::maximum), keyword("has_start", &Request::has_start),
            keyword("error_pushed", &Request::error_pushed), keyword("ledger", &Request::budget),
            keyword("reads_weights", &Request::reads_weights),
            keyword("converts_weights", &Request::converts_weights),
            keyword("explains", &Request::explains), keyword("of_edges", &Request::of_edges),
            keyword("asks_for_needs", &Request::asks_for_needs),
            keyword("bytes_before", &Request::bytes_before),
            keyword("bytes_of_vectors", &Request::bytes_of_vectors),
            keyword("is_empty", &Request::is_empty),
            keyword("is_only_planned", &Request::is_only_planned));
  request.distances = number_of(dtype);
  return request;
}

}  // namespace warpgraph
