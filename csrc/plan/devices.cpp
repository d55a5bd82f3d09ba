#include "plan/devices.hpp"

#include "plan/rates.hpp"

#include <algorithm>
#include <cmath>

namespace warpgraph::plan {
namespace {

/// Returns the number of GPUs that take the least time; 0 if they cannot access each other's
/// memory.
std::size_t best_number(const std::vector<Device>& gpus, const Rounds& rounds,
                        const Machine& machine) {
  std::size_t best = 1;
  for (std::size_t n = 2; n <= gpus.size(); ++n) {
    if (rounds.seconds(n) < rounds.seconds(best)) best = n;
  }
  // Asking the drivers of all takes as long as a small call.
  if (rounds.seconds(best) > (1 - rates::least_gain) * rounds.seconds(1)) return 1;
  return machine.share_memory(gpus) ? best : 0;
}

std::vector<Device> enough_of_all(const Machine& machine, const Suits& suits, Reasons& reasons) {
  std::vector<Device> gpus = machine.gpus();
  if (gpus.size() == 1 || !suits.bytes_on_one) return gpus;
  const std::size_t bytes = *suits.bytes_on_one;
  const auto log = [&](const auto&... reason) {
    reasons.add("device='cuda:all' chose ", listed(gpus), ": ", reason...);
  };
  if (!machine.has_memory(suits.budget.on(gpus[0]), bytes)) {
    const std::size_t limit = suits.budget.is_limited() ? suits.budget.left() : bytes;
    log("the call takes at most ", bytes, " bytes, one may take ",
        std::min(limit, machine.free_memory(gpus[0])));
    return gpus;
  }
  const Rounds rounds = suits.rounds ? suits.rounds() : Rounds{};
  const std::size_t n = suits.rounds ? best_number(gpus, rounds, machine) : 0;
  gpus.resize(std::max<std::size_t>(n, 1));
  if (n == 0) {
    log("it has memory for the call, at most ", bytes, " bytes");
  } else {
    const auto of = [&](std::size_t k) { return rounded(1e3 * rounds.seconds(k), 3); };
    log("the call, or a round of it, is expected to take ", of(1), " ms on one device, ", of(2),
        " ms on two, ", of(n), " ms on ", n);
  }
  return gpus;
}

/// Returns the shape that decides between the host and a GPU: either bound, if both decide alike.
Shape deciding_shape(const Suits& suits) {
  const auto& seconds = suits.seconds;
  if (!suits.shape || seconds(Place::gpu, least_shape) >= seconds(Place::cores, most_shape)) {
    return least_shape;
  }
  if (seconds(Place::gpu, most_shape) < seconds(Place::cores, least_shape)) return most_shape;
  return suits.shape();
}

Device faster_of_both(const Machine& machine, const Suits& suits, Reasons& reasons, double& lost) {
  const double begin = machine.seconds_to_begin();
  if (!suits.seconds || std::isinf(begin)) {
    reasons.add("device='auto' chose cpu: ", suits.seconds ? "there is no GPU" : "no GPU gains");
    return {};
  }
  const Shape shape = reasons.are_wanted() && suits.shape ? suits.shape() : deciding_shape(suits);
  const double on_cores = suits.seconds(Place::cores, shape);
  const double on_gpu = suits.seconds(Place::gpu, shape);
  const auto compared = [&] {
    return concat(milliseconds(on_cores), " ms are expected on ", machine.n_threads, " threads, ",
                  milliseconds(on_gpu), " ms on a GPU");
  };
  if (on_gpu >= on_cores) {
    reasons.add("device='auto' chose cpu: ", compared());
    return {};
  }
  if (on_gpu + begin >= on_cores) {
    lost = on_cores - on_gpu;
    reasons.add("device='auto' chose cpu: ", compared(), ", which takes another ",
                milliseconds(begin), " ms to begin");
    return {};
  }
  const std::optional<Device> gpu = machine.gpu();
  if (gpu && suits.least_bytes > 0 &&
      !machine.has_memory(suits.budget.on(*gpu), suits.least_bytes)) {
    reasons.add("device='auto' chose cpu: ", gpu->name(), " may need ", suits.least_bytes,
                " bytes");
    return {};
  }
  const Device chosen = gpu.value_or(Device{});
  reasons.add("device='auto' chose ", chosen.name(), ": ", compared(),
              gpu ? "" : ", and no GPU was found");
  return chosen;
}

}  // namespace

double Rounds::seconds(std::size_t n_devices) const {
  if (n_devices == 1) return seconds_on_one;
  const auto n = static_cast<double>(n_devices);
  const double sending = bytes_sent * (n - 1) / n / rates::nvlink_bytes_a_second;
  const double divided = std::max((1 - undivided) * seconds_on_one / n, sending);
  return undivided * seconds_on_one + divided + n * rates::barrier_of_a_device;
}

std::vector<Device> choose_devices(const Devices& devices, const Suits& suits, Reasons& reasons,
                                   double& lost) {
  if (!devices.named.empty()) return devices.named;  // named by the caller, or chosen before
  switch (devices.wanted) {
    case Devices::Wanted::automatic:
      return {faster_of_both(*devices.machine, suits, reasons, lost)};
    case Devices::Wanted::all:
      if (suits.divides) return enough_of_all(*devices.machine, suits, reasons);
      break;
    case Devices::Wanted::named:
      break;
  }
  const Device chosen = devices.machine->gpu().value();
  reasons.add("device='cuda:all' chose ", chosen.name(), ": this algorithm runs on one device");
  return {chosen};
}

void refuse_mixed(std::span<const Device> devices, std::string_view what) {
  const auto n_gpus = std::ranges::count_if(devices, &Device::is_cuda);
  if (n_gpus == 0 || n_gpus == std::ssize(devices)) return;
  throw DeviceError(concat(what,
                           " runs on several workers of the host or on several CUDA devices, ",
                           "got the mixed list ", listed(devices)));
}

Device fastest(std::span<const Device> devices) {
  const auto gpu = std::ranges::find_if(devices, &Device::is_cuda);
  return gpu == devices.end() ? Device{} : *gpu;
}

}  // namespace warpgraph::plan
