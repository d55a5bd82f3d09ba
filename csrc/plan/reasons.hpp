// The sentences that explain a plan, and how they show numbers and devices. Private to this folder.
#pragma once

#include "core/device.hpp"
#include "core/error.hpp"

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpgraph::plan {

/// Sentences, or nothing where nobody reads them: most calls do not log.
class Reasons {
 public:
  explicit Reasons(bool wanted) noexcept : wanted_(wanted) {}

  template <class... Parts>
  void add(const Parts&... parts) {
    if (wanted_) sentences_.push_back(concat(parts...));
  }
  [[nodiscard]] bool are_wanted() const noexcept { return wanted_; }
  [[nodiscard]] std::vector<std::string> take() noexcept { return std::move(sentences_); }

 private:
  bool wanted_;
  std::vector<std::string> sentences_;
};

/// Returns a number with this many significant digits.
[[nodiscard]] inline std::string rounded(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

/// Returns seconds as milliseconds, without an exponent.
[[nodiscard]] inline std::string milliseconds(double seconds) {
  const double ms = 1e3 * seconds;
  char text[32];
  std::snprintf(text, sizeof text, ms >= 10 ? "%.0f" : ms >= 1 ? "%.1f" : "%.3f", ms);
  return text;
}

/// Returns 'name', as Python shows a string.
[[nodiscard]] inline std::string quoted(std::string_view name) { return concat("'", name, "'"); }

/// Returns ['cuda:0', 'cuda:1'], as Python shows a list.
[[nodiscard]] inline std::string listed(std::span<const Device> devices) {
  std::string text = "[";
  for (const Device device : devices) {
    text += concat(text.size() > 1 ? ", " : "", plan::quoted(device.name()));
  }
  return text + "]";
}

/// Returns the names as "cuda:0, cuda:1".
[[nodiscard]] inline std::string joined(std::span<const Device> devices) {
  std::string text;
  for (const Device device : devices) text += concat(text.empty() ? "" : ", ", device.name());
  return text;
}

}  // namespace warpgraph::plan
