#include "core/memory/memory_budget.hpp"

#include "core/error.hpp"
#include "core/memory/kept_memory.hpp"

#include <algorithm>
#include <array>
#include <sstream>

namespace warpgraph {
namespace {

/// Bytes below which a query of the free memory, which reads files or waits for a driver, takes
/// longer than a small call.
constexpr std::size_t not_worth_asking = 16 << 20;

/// Returns whether `bytes` are available for certain, without a query of the free memory.
bool is_known_to_have(std::size_t bytes, std::size_t limit, Device device) {
  if (limit == MemoryBudget::no_limit && bytes <= not_worth_asking) return true;
  return bytes <= limit && bytes <= idle_memory(device);
}

}  // namespace

std::string format_bytes(std::size_t bytes) {
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return concat(bytes, " bytes");
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::ostringstream text;
  text.precision(value < 10 ? 2 : value < 100 ? 3 : 4);
  text << value << ' ' << units[unit] << " (" << bytes << " bytes)";
  return text.str();
}

std::string what_there_is(std::size_t bytes, bool is_limited, std::string_view advice) {
  return concat(format_bytes(bytes), " are ", is_limited ? "left of memory_limit" : "free",
                is_limited ? "; raise memory_limit" : "; free memory",
                advice.empty() ? "" : ", or ", advice);
}

std::size_t MemoryBudget::available() const {
  if (is_limited() && !device_.is_cuda()) stop_keeping_host_memory();
  return std::min(limit_, free_memory(device_)) + uncounted_;
}

bool MemoryBudget::has(std::size_t bytes) const {
  const std::size_t needed = counted(bytes);
  if (needed > limit_) return false;
  return is_known_to_have(needed, limit_, device_) || bytes <= available();
}

void MemoryBudget::require(std::string_view what, std::size_t bytes,
                           std::string_view advice) const {
  const std::size_t needed = counted(bytes);
  if (is_known_to_have(needed, limit_, device_)) return;
  const std::size_t have = available() - uncounted_;
  if (needed <= have) return;
  throw OutOfMemory(concat(what, " needs ", format_bytes(needed), " on ", device_.name(), ", but ",
                           what_there_is(have, is_limited() && have == limit_, advice)));
}

}  // namespace warpgraph
