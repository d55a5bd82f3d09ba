#include "algorithms/hierarchy/hierarchy.hpp"
#include "bindings/call.hpp"
#include "bindings/device_arrays.hpp"
#include "bindings/graph_handle.hpp"
#include "bindings/hand_over.hpp"

#include <pybind11/stl.h>

#include <map>
#include <mutex>

#if defined(WARPGRAPH_HAS_CUDA)
#include "algorithms/hierarchy/device_hierarchy.hpp"
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph {
namespace {

using namespace pybind11::literals;

template <class T>
std::size_t bytes_of(const Hierarchy<T>& h) {
  const auto graph_bytes = [](const SearchGraph<T>& graph) {
    return graph.offsets.size() * sizeof(edge_t) +
           graph.heads.size() * (sizeof(vertex_t) + sizeof(T));
  };
  return (h.vertices.size() + h.position_of.size() + h.level_starts.size()) * sizeof(vertex_t) +
         graph_bytes(h.down) + graph_bytes(h.up);
}

/// The hierarchy that Python keeps with a graph, and its copies on CUDA devices. A copy is made on
/// first use and lives as long as the hierarchy.
class HierarchyHandle {
 public:
  explicit HierarchyHandle(AnyHierarchy&& hierarchy) : hierarchy_(std::move(hierarchy)) {}

  /// Calls f(hierarchy) with its type of distances.
  template <class F>
  auto visit(F&& f) const {
    return std::visit(std::forward<F>(f), hierarchy_);
  }

#if defined(WARPGRAPH_HAS_CUDA)
  template <class T>
  const DeviceHierarchy<T>& on_device(const Hierarchy<T>& host, Device device) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<DeviceCopy>& device_copy = device_copies_[device.index];
    if (!device_copy) {
      MemoryBudget(device).require("copying the hierarchy", bytes_of(host),
                                   "use device=\"cpu\", or clear() graphs that are done with");
      // Stored only when complete: the next call must not find a failed copy.
      auto made = std::make_unique<DeviceCopy>(device);
      made->copy = DeviceHierarchy<T>(host, *made->stream);
      (*made->stream).synchronize();
      device_copy = std::move(made);
    }
    return std::get<DeviceHierarchy<T>>(device_copy->copy);
  }

  [[nodiscard]] std::size_t device_bytes() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [index, device_copy] : device_copies_) {
      if (!device_copy) continue;
      bytes += std::visit(
          []<class Copy>(const Copy& copy) -> std::size_t {
            if constexpr (std::is_same_v<Copy, std::monostate>) {
              return 0;
            } else {
              return copy.bytes();
            }
          },
          device_copy->copy);
    }
    return bytes;
  }

 private:
  struct DeviceCopy {
    explicit DeviceCopy(Device device) : stream(device) {}
    cuda::BorrowedStream stream;
    std::variant<std::monostate, DeviceHierarchy<std::int32_t>, DeviceHierarchy<std::int64_t>,
                 DeviceHierarchy<double>>
        copy;
  };
  mutable std::mutex mutex_;  // guards device_copies_: threads may share a hierarchy
  std::map<int, std::unique_ptr<DeviceCopy>> device_copies_;
#else
  [[nodiscard]] std::size_t device_bytes() const { return 0; }

 private:
#endif
  AnyHierarchy hierarchy_;
};

py::object build(const GraphHandle& graph, const py::dtype& dtype, bool unweighted, bool symmetric,
                 vertex_t core_vertices, std::size_t memory_limit, py::object progress) {
  const HierarchyOptions options{symmetric, memory_limit, core_vertices};
  return dispatch_weight(dtype, [&]<class W>() {
    const CsrView<W> host = host_view<W>(graph, unweighted);
    return hand_over(std::make_unique<HierarchyHandle>(
        run_released(std::move(progress), [&] { return build_hierarchy(host, options); })));
  });
}

template <class R>
HierarchyQuery<R> query_of(const py::array& sources, const py::object& targets,
                           const py::object& limit, std::size_t memory_limit) {
  HierarchyQuery<R> query;
  query.sources = readable<vertex_t>(sources);
  query.has_targets = !targets.is_none();
  if (query.has_targets) query.targets = readable<vertex_t>(py::array(targets));
  query.limit = limit.cast<R>();
  query.memory_limit = memory_limit;
  return query;
}

void sweep(HierarchyHandle& handle, const py::array& sources, const py::object& targets,
           const py::object& distances, const py::object& limit, const std::string& device_name,
           std::size_t memory_limit, py::object progress) {
  const Device device = Device::parse(device_name);
  dispatch_weight(dtype_of(distances), [&]<class R>() {
    const HierarchyQuery<R> query = query_of<R>(sources, targets, limit, memory_limit);
    const RowMatrix<R> rows = writable_rows<R>(distances, device);
    const HierarchyResult<R> result{rows.data, rows.stride, rows.on_device};
    handle.visit([&]<class T>(const Hierarchy<T>& hierarchy) {
      if constexpr (std::is_integral_v<R> && std::is_floating_point_v<T>) {
        // Python requests integer distances only if all weights are integers.
        throw std::overflow_error(weights_too_large);
      } else {
        run_released(std::move(progress), [&] {
          if (!device.is_cuda()) return sweep_cpu(hierarchy, query, result);
          WARPGRAPH_ON_CUDA(sweep_cuda(handle.on_device(hierarchy, device), hierarchy, query,
                                       result, *cuda::BorrowedStream(device)));
        });
      }
    });
  });
}

// Conversion to and from the arrays of a file.

template <class T>
py::array_t<T> to_array(std::span<const T> values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

template <class Vector>
void assign_from(Vector& to, const py::dict& arrays, const char* name) {
  const auto from = readable<typename Vector::value_type>(py::array(arrays[name]));
  to.assign(from.begin(), from.end());
}

template <class T>
py::dict arrays_of(const Hierarchy<T>& h) {
  py::dict arrays("vertices"_a = to_array<vertex_t>(h.vertices),
                  "level_starts"_a = to_array<vertex_t>(h.level_starts),
                  "down_offsets"_a = to_array<edge_t>(h.down.offsets),
                  "down_heads"_a = to_array<vertex_t>(h.down.heads),
                  "down_weights"_a = to_array<T>(h.down.weights),
                  "rounding_units"_a = h.rounding_units);
  if (!h.symmetric) {
    arrays["up_offsets"] = to_array<edge_t>(h.up.offsets);
    arrays["up_heads"] = to_array<vertex_t>(h.up.heads);
    arrays["up_weights"] = to_array<T>(h.up.weights);
  }
  return arrays;
}

template <class T>
AnyHierarchy from_arrays(const py::dict& arrays) {
  Hierarchy<T> h;
  assign_from(h.vertices, arrays, "vertices");
  assign_from(h.level_starts, arrays, "level_starts");
  assign_from(h.down.offsets, arrays, "down_offsets");
  assign_from(h.down.heads, arrays, "down_heads");
  assign_from(h.down.weights, arrays, "down_weights");
  h.rounding_units = arrays["rounding_units"].cast<double>();
  h.symmetric = !arrays.contains("up_offsets");
  if (!h.symmetric) {
    assign_from(h.up.offsets, arrays, "up_offsets");
    assign_from(h.up.heads, arrays, "up_heads");
    assign_from(h.up.weights, arrays, "up_weights");
  }
  run_released(py::none(), [&] { complete_hierarchy(h); });
  return h;
}

py::object restore(const py::dict& arrays) {
  const py::dtype dtype = py::array(arrays["down_weights"]).dtype();
#define WARPGRAPH_TRY(T)               \
  if (dtype.equal(py::dtype::of<T>())) \
    return hand_over(std::make_unique<HierarchyHandle>(from_arrays<T>(arrays)));
  WARPGRAPH_FOR_EACH_HIERARCHY(WARPGRAPH_TRY)
#undef WARPGRAPH_TRY
  throw std::invalid_argument("a hierarchy's weights are int32, int64 or float64");
}

py::dict figures_of(const HierarchyHandle& handle) {
  return handle.visit([]<class T>(const Hierarchy<T>& h) {
    return py::dict("n_vertices"_a = h.n_vertices, "n_core"_a = h.n_core,
                    "n_levels"_a = h.level_starts.size() - 1,
                    "n_arcs"_a = h.down.heads.size() + h.up.heads.size(),
                    "symmetric"_a = h.symmetric, "dtype"_a = py::dtype::of<T>(),
                    "rounding_units"_a = h.rounding_units, "nbytes"_a = bytes_of(h));
  });
}

}  // namespace

void init_hierarchy(py::module_& module) {
  py::class_<HierarchyHandle>(module, "HierarchyHandle")
      .def("figures", &figures_of)
      .def("sweep", &sweep, py::arg("sources"), py::arg("targets"), py::arg("distances"),
           py::arg("limit"), py::arg("device"), py::arg("memory_limit"), py::arg("progress"))
      .def("device_bytes", &HierarchyHandle::device_bytes)
      .def("arrays", [](const HierarchyHandle& handle) {
        return handle.visit([](const auto& hierarchy) { return arrays_of(hierarchy); });
      });
  module.def("build_hierarchy", &build, py::arg("graph"), py::arg("dtype"), py::arg("unweighted"),
             py::arg("symmetric"), py::arg("core_vertices"), py::arg("memory_limit"),
             py::arg("progress"));
  module.def("restore_hierarchy", &restore, py::arg("arrays"));
}

}  // namespace warpgraph
