#include "bindings/core/dlpack.hpp"

#include "bindings/shutdown.hpp"
#include "core/error.hpp"

#if defined(WARPGRAPH_HAS_CUDA)
#include "core/cuda/stream_pool.hpp"
#endif

namespace warpgraph::dlpack {
namespace {

// The structures of the protocol, whose members have its names.

enum DeviceType : std::int32_t { cpu = 1, cuda_device = 2, cuda_host = 3, cuda_managed = 13 };
enum TypeCode : std::uint8_t {
  signed_integer = 0,
  unsigned_integer = 1,
  real = 2,
  bfloat = 4,
  complex = 5,
  boolean = 6
};

struct DeviceNumbers {
  std::int32_t device_type;
  std::int32_t device_id;
};

struct ItemType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  DeviceNumbers device;
  std::int32_t ndim;
  ItemType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in items; null: C-contiguous
  std::uint64_t byte_offset;
};

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

constexpr Version version{1, 0};
constexpr std::uint64_t read_only_flag = 1;

/// A tensor in a capsule of versions before 1.
struct Unversioned {
  Tensor tensor;
  void* context;
  void (*deleter)(Unversioned*);

  static constexpr const char* name = "dltensor";
  static constexpr const char* used_name = "used_dltensor";
};

struct Versioned {
  Version version;
  void* context;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  Tensor tensor;

  static constexpr const char* name = "dltensor_versioned";
  static constexpr const char* used_name = "used_dltensor_versioned";
};

/// A tensor of another library and the owner of its memory, which is given back once.
struct Taken {
  std::shared_ptr<void> owner;
  const Tensor* tensor;
  bool is_read_only;
};

/// Takes a tensor out of its capsule.
template <class Managed>
std::shared_ptr<Managed> take_out(const py::object& capsule) {
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), Managed::name));
  if (managed == nullptr || PyCapsule_SetName(capsule.ptr(), Managed::used_name) != 0) {
    throw py::error_already_set();
  }
  return {managed, [](Managed* taken) {
            if (taken->deleter != nullptr) taken->deleter(taken);
          }};
}

/// Returns whether writing to an array is forbidden, as its __cuda_array_interface__ says if it has
/// one: capsules of versions before 1 cannot say it.
bool is_read_only(const py::object& array, bool otherwise) {
  const py::object interface = py::getattr(array, "__cuda_array_interface__", py::none());
  if (interface.is_none()) return otherwise;
  return py::tuple(py::dict(interface)["data"])[1].cast<bool>();
}

Taken tensor_in(const py::object& capsule, const py::object& array) {
  if (PyCapsule_IsValid(capsule.ptr(), Versioned::name) != 0) {
    const std::shared_ptr<Versioned> managed = take_out<Versioned>(capsule);
    if (managed->version.major > version.major) {
      throw py::buffer_error(concat("the array is exported by version ", managed->version.major,
                                    " of DLPack, but versions up to ", version.major, " are read"));
    }
    const bool is_flagged = (managed->flags & read_only_flag) != 0;
    return {managed, &managed->tensor, is_flagged || is_read_only(array, false)};
  }
  const std::shared_ptr<Unversioned> managed = take_out<Unversioned>(capsule);
  return {managed, &managed->tensor, is_read_only(array, true)};
}

/// Calls __dlpack__, which older libraries have without a version.
py::object exported(const py::object& array, const py::dict& options) {
  const py::object method = array.attr("__dlpack__");
  py::dict with_version = options.attr("copy")();
  with_version["max_version"] = py::make_tuple(version.major, version.minor);
  try {
    return method(**with_version);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method(**options);
}

Taken on_host(const py::object& array) { return tensor_in(exported(array, py::dict()), array); }

Taken on_device(const py::object& array, [[maybe_unused]] Device device) {
  require_device(device);
#if defined(WARPGRAPH_HAS_CUDA)
  const cuda::BorrowedStream stream(device);
  py::dict options;
  options["stream"] = reinterpret_cast<std::uintptr_t>((*stream).get());
  Taken taken = tensor_in(exported(array, options), array);
  const GilReleased released;
  (*stream).synchronize();  // waits for the work of the array's owner, after which the stream is
  return taken;
#else
  return on_host(array);  // is not reached
#endif
}

std::string name_of(const ItemType& type) {
  const std::string bits = std::to_string(type.bits);
  if (type.lanes != 1) return concat("vectors of ", type.lanes, " items");
  if (type.code == bfloat) return "bfloat" + bits;
  if (type.code == complex) return "complex" + bits;
  return concat("items of ", bits, " bits and DLPack's type code ", int{type.code});
}

py::dtype numpy_type(const ItemType& type) {
  constexpr unsigned byte = 8;
  const unsigned bytes = type.bits / byte;
  const bool is_power = type.bits % byte == 0 && (bytes & (bytes - 1)) == 0;
  const auto made = [&](const char* kind, unsigned least) -> py::object {
    constexpr unsigned most = 8;
    if (!is_power || bytes < least || bytes > most || type.lanes != 1) return py::none();
    return py::dtype(kind + std::to_string(bytes));
  };
  py::object found = py::none();
  if (type.code == signed_integer) found = made("i", 1);
  if (type.code == unsigned_integer) found = made("u", 1);
  if (type.code == real) found = made("f", 2);
  if (type.code == boolean && bytes == 1) found = made("b", 1);
  if (!found.is_none()) return found.cast<py::dtype>();
  throw py::type_error(concat("an array of ", name_of(type),
                              " was passed; convert it to real numbers that NumPy has, such as "
                              "float32"));
}

/// Returns the array of a tensor on the host.
py::object numpy_array(const Taken& taken, void* data, const py::dtype& dtype,
                       DeviceArray::Extents shape, DeviceArray::Extents strides) {
  auto owner = std::make_unique<std::shared_ptr<void>>(taken.owner);
  const py::capsule base(owner.get(),
                         [](void* of) { delete static_cast<std::shared_ptr<void>*>(of); });
  owner.release();  // the capsule frees it from here on
  py::array array(dtype, std::move(shape), std::move(strides), data, base);
  if (taken.is_read_only) array.attr("setflags")(py::arg("write") = false);
  return array;
}

}  // namespace

py::object take(const py::object& array) {
  const auto [type, number] = array.attr("__dlpack_device__")().cast<std::pair<int, int>>();
  const bool is_there = type == cuda_device || type == cuda_managed;
  if (!is_there && type != cpu && type != cuda_host) {
    throw py::type_error(
        concat("an array must lie on the host or on a CUDA device, but this one "
               "lies on a device of DLPack's type ",
               type));
  }
  const Device device = is_there ? Device{Device::Kind::cuda, number} : Device{};
  const Taken taken = is_there ? on_device(array, device) : on_host(array);
  const Tensor& tensor = *taken.tensor;
  const py::dtype dtype = numpy_type(tensor.dtype);
  const DeviceArray::Extents shape(tensor.shape, tensor.shape + tensor.ndim);
  DeviceArray::Extents strides;
  if (tensor.strides != nullptr) strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  for (py::ssize_t& stride : strides) stride *= dtype.itemsize();
  void* const data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  if (!is_there) return numpy_array(taken, data, dtype, shape, strides);
  return hand_over(std::make_unique<DeviceArray>(taken.owner, data, shape, dtype, device, strides,
                                                 taken.is_read_only));
}

namespace {

/// A tensor that is given to another library, and what it refers to.
template <class Managed>
struct Given {
  Managed managed{};
  std::shared_ptr<void> memory;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

template <class Managed>
void free_unused(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, Managed::name) == 0) return;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
  managed->deleter(managed);
}

ItemType item_type(const py::dtype& dtype) {
  constexpr py::ssize_t byte = 8;
  const auto bits = static_cast<std::uint8_t>(dtype.itemsize() * byte);
  switch (dtype.kind()) {
    case 'i':
      return {signed_integer, bits, 1};
    case 'u':
      return {unsigned_integer, bits, 1};
    case 'b':
      return {boolean, bits, 1};
    default:
      return {real, bits, 1};
  }
}

template <class Managed>
py::capsule capsule_of(const DeviceArray& array) {
  auto given = std::make_unique<Given<Managed>>();
  given->memory = array.memory();
  given->shape.assign(array.shape().begin(), array.shape().end());
  for (const py::ssize_t stride : array.strides()) {
    given->strides.push_back(stride / array.dtype().itemsize());
  }
  const auto [type, number] = device_numbers(array.device());
  given->managed.context = given.get();
  given->managed.deleter = [](Managed* managed) {
    delete static_cast<Given<Managed>*>(managed->context);
  };
  given->managed.tensor = {array.data(),
                           {type, number},
                           static_cast<std::int32_t>(array.shape().size()),
                           item_type(array.dtype()),
                           given->shape.data(),
                           given->strides.data(),
                           0};
  if constexpr (std::is_same_v<Managed, Versioned>) {
    given->managed.version = version;
    given->managed.flags = array.is_read_only() ? read_only_flag : 0;
  }
  PyObject* const capsule = PyCapsule_New(&given->managed, Managed::name, &free_unused<Managed>);
  if (capsule == nullptr) throw py::error_already_set();
  given.release();  // the capsule, or who takes the tensor out of it, frees it from here on
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace

py::object give(const DeviceArray& array, const py::object&, const py::object& max_version,
                const py::object& dl_device, const py::object& copy) {
  using Numbers = std::pair<int, int>;
  const bool moves =
      !dl_device.is_none() && dl_device.cast<Numbers>() != device_numbers(array.device());
  if (moves || copy.is(py::bool_(true))) {
    throw py::buffer_error("an array is given in place only; the library that takes it can copy");
  }
  if (!max_version.is_none() && max_version.cast<Numbers>().first >= 1) {
    return capsule_of<Versioned>(array);
  }
  if (array.is_read_only()) {
    throw py::buffer_error(
        "the array is read-only, which DLPack says since version 1: pass max_version=(1, 0)");
  }
  return capsule_of<Unversioned>(array);
}

std::pair<int, int> device_numbers(Device device) noexcept {
  return {device.is_cuda() ? cuda_device : cpu, device.index};
}

}  // namespace warpgraph::dlpack
