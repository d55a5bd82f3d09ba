// What the library asks of the program that calls it, its client. Python has a lock that other
// threads wait for, signals and a log; a program of C++ has none of these.
#pragma once

#include "core/function_ref.hpp"
#include "core/interrupt.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace warpgraph {

class Client {
 public:
  Client() = default;
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  /// Calls work(), which may take long, without locks that other threads need to finish theirs.
  virtual void run(FunctionRef<void()> work) const { work(); }
  /// Takes a sentence on what the library does without being asked for it.
  virtual void log(const std::string& /*sentence*/) const {}
};

/// Returns the client, which is at first one that has no locks and no log.
[[nodiscard]] const Client& client() noexcept;
/// Sets the client of all threads, which must never be destroyed.
void set_client(const Client& client) noexcept;

/// Returns work(), which the client runs unless this thread is in a call already.
template <class Work>
auto run_as_call(Work&& work) -> std::invoke_result_t<Work&> {
  using Result = std::invoke_result_t<Work&>;
  if (has_hooks()) return work();
  if constexpr (std::is_void_v<Result>) {
    client().run(work);
  } else {
    std::optional<Result> result;
    client().run([&] { result.emplace(work()); });
    return std::move(*result);
  }
}

}  // namespace warpgraph
