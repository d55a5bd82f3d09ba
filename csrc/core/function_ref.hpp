// A reference to anything that can be called, for parameters: neither a copy nor an allocation.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace warpgraph {

template <class Signature>
class FunctionRef;

/// A reference to a callable object, which must outlive it. A function with this parameter instead
/// of a template parameter is compiled once, for the price of an indirect call.
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef> &&
           std::is_invocable_v<Function&, Args...>) FunctionRef(Function&& function)
  noexcept  // NOLINT: converts, as std::function does
      : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
        call_([](void* of, Args... args) {
          auto& callee = *static_cast<std::remove_reference_t<Function>*>(of);
          return static_cast<R>(callee(std::forward<Args>(args)...));
        }) {}

  R operator()(Args... args) const { return call_(function_, std::forward<Args>(args)...); }

 private:
  void* function_;
  R (*call_)(void*, Args...);
};

}  // namespace warpgraph
