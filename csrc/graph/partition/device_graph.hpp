// The copy of a graph, or of a part of it, on a CUDA device that is kept between calls: its
// structure, its weights of the types that were asked for, and what algorithms derive from them.
// Plain C++, as device_csr.hpp.
#pragma once

#include "core/containers/made_once.hpp"
#include "core/cuda/copies/upload.hpp"
#include "core/cuda/memory/derived_cache.hpp"
#include "core/cuda/stream_pool.hpp"
#include "core/memory/memory_budget.hpp"
#include "graph/device_csr.hpp"
#include "graph/weights/device_convert_weights.hpp"

#include <memory>
#include <span>
#include <tuple>
#include <utility>

namespace warpgraph {

/// The structure of a graph on a device, which graphs of different weights share. It is not changed
/// once it is made, so it can be read from any stream.
class DeviceStructure {
 public:
  /// Copies the structure. Throws OutOfMemory.
  DeviceStructure(const CsrPattern& host, Device device)
      : stream_(checked(device, bytes_of(host)), cuda::Lifetime::kept), pattern_(host, *stream_) {
    wait();
  }
  /// Adds the copy to an upload: call wait() when that is finished. Heads are checked and narrowed
  /// as in DevicePattern.
  DeviceStructure(const CsrPattern& host, Device device, cuda::Upload& upload,
                  HeadsCheck* check = nullptr, const std::int64_t* wide_heads = nullptr)
      : stream_(checked(device, bytes_of(host)), cuda::Lifetime::kept),
        pattern_(host, *stream_, upload, check, wide_heads) {}
  /// Refers to a structure on the device, which must outlive this.
  static std::shared_ptr<const DeviceStructure> in_place(const CsrPattern& on_device,
                                                         Device device) {
    return std::shared_ptr<const DeviceStructure>(
        new DeviceStructure(DevicePattern(on_device), device));
  }
  void wait() const { (*stream_).synchronize(); }

  /// Returns the bytes of the structure on a device.
  [[nodiscard]] static std::size_t bytes_of(const CsrPattern& host) {
    return DevicePattern::bytes_of(host);
  }

  [[nodiscard]] Device device() const noexcept { return (*stream_).device(); }
  [[nodiscard]] CsrPattern pattern() const noexcept { return pattern_.view(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return pattern_.bytes(); }

  static constexpr const char* memory_advice =
      "use device=\"cpu\", or clear() graphs that are no longer needed";

 private:
  DeviceStructure(DevicePattern pattern, Device device)
      : stream_(device, cuda::Lifetime::kept), pattern_(std::move(pattern)) {}
  static Device checked(Device device, std::size_t bytes) {
    MemoryBudget(device).require("copying the graph", bytes, memory_advice);
    return device;
  }

  cuda::BorrowedStream stream_;
  DevicePattern pattern_;
};

/// The weights of a graph on a device: a copy, or those of another owner, which outlives this.
template <class W>
class DeviceWeights {
 public:
  explicit DeviceWeights(cuda::DeviceBuffer<W> copy)
      : copy_(std::move(copy)), weights_(copy_.data(), copy_.size()) {}
  explicit DeviceWeights(std::span<const W> on_device) : weights_(on_device) {}

  [[nodiscard]] const W* data() const noexcept { return weights_.data(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return weights_.size_bytes(); }

 private:
  cuda::DeviceBuffer<W> copy_;
  std::span<const W> weights_;
};

class DeviceGraph {
 public:
  /// Copies the structure. Throws OutOfMemory.
  DeviceGraph(const CsrPattern& host, Device device)
      : DeviceGraph(std::make_shared<DeviceStructure>(host, device)) {}
  /// Makes the graph of a structure that is on the device.
  explicit DeviceGraph(std::shared_ptr<const DeviceStructure> structure)
      : structure_(std::move(structure)),
        stream_(structure_->device(), cuda::Lifetime::kept),
        derived_(*stream_) {}

  [[nodiscard]] CsrPattern pattern() const noexcept { return structure_->pattern(); }
  template <class W>
  [[nodiscard]] bool has_weights() const noexcept {
    return std::get<Weights<W>>(weights_).if_made() != nullptr;
  }
  /// Returns the graph with weights that it has.
  template <class W>
  [[nodiscard]] CsrView<W> kept_view() const noexcept {
    return with_weights(pattern(), std::get<Weights<W>>(weights_).if_made()->data());
  }
  /// Copies the weights of the same graph on the host, unless has_weights(), and checks them on
  /// their way unless `check` is null. Throws OutOfMemory.
  template <class W>
  [[nodiscard]] CsrView<W> with_weights_of(const CsrView<W>& host,
                                           WeightsCheck<W>* check = nullptr) {
    const auto make = [&] {
      cuda::Upload upload;
      auto made = add_weights(host, upload, check);
      upload.finish();
      (*stream_).synchronize();
      return std::make_unique<DeviceWeights<W>>(std::move(*made));
    };
    return weights_made_by<W>(make);
  }
  /// Adds a copy of the weights to an upload. Throws OutOfMemory.
  template <class W>
  [[nodiscard]] std::unique_ptr<cuda::DeviceBuffer<W>> add_weights(
      const CsrView<W>& host, cuda::Upload& upload, WeightsCheck<W>* check = nullptr) const {
    const auto n_arcs = static_cast<std::size_t>(host.n_arcs);
    MemoryBudget((*stream_).device())
        .require("copying the weights", n_arcs * sizeof(W), DeviceStructure::memory_advice);
    auto made = std::make_unique<cuda::DeviceBuffer<W>>(n_arcs, *stream_);
    if (check == nullptr) {
      upload.copy(made->data(), host.weights, n_arcs, *stream_);
    } else {
      upload.copy(made->data(), host.weights, n_arcs, *stream_,
                  [check](std::span<const W> weights) { check->look_at(weights); });
    }
    return made;
  }
  /// Converts the weights of the same graph, on the host or on the device, to lengths of type W
  /// there, and keeps them. Returns false, and keeps none, if one does not fit. Checks the weights
  /// on their way unless `check` is null. Throws OutOfMemory.
  template <class W, class From>
  [[nodiscard]] bool convert_weights_of(const CsrView<From>& host, WeightsCheck<From>* check) {
    const auto n_arcs = static_cast<std::size_t>(host.n_arcs);
    MemoryBudget((*stream_).device())
        .require("converting the weights", n_arcs * sizeof(W), DeviceStructure::memory_advice);
    cuda::DeviceBuffer<W> made(n_arcs, *stream_);
    const cuda::DeviceBuffer<std::int32_t> misfits(1, *stream_);
    cuda::fill_bytes(misfits.data(), 0, 1, *stream_);
    const auto convert = [&](std::span<const From> weights, std::size_t first) {
      convert_weights_on_device(weights, WeightsAs::lengths, made.data() + first, misfits.data(),
                                *stream_);
    };
    if (has_weights<From>()) {
      convert({std::get<Weights<From>>(weights_).if_made()->data(), n_arcs}, 0);
    } else {
      cuda::Upload upload;
      const auto take = [&convert](auto weights, std::size_t first) { convert(weights, first); };
      if (check == nullptr) {
        upload.take_parts(host.weights, n_arcs, *stream_, take, nullptr);
      } else {
        upload.take_parts(host.weights, n_arcs, *stream_, take,
                          [check](std::span<const From> part) { check->look_at(part); });
      }
      upload.finish();
    }
    if (cuda::read_back(misfits.data(), *stream_) != 0) return false;
    weights_made_by<W>([&] { return std::make_unique<DeviceWeights<W>>(std::move(made)); });
    return true;
  }
  /// Keeps weights of an upload that is finished, unless has_weights().
  template <class W>
  void keep_weights(std::unique_ptr<cuda::DeviceBuffer<W>> weights) {
    (*stream_).synchronize();
    weights_made_by<W>([&] { return std::make_unique<DeviceWeights<W>>(std::move(*weights)); });
  }
  /// Refers to weights on the device, which must outlive this, unless has_weights().
  template <class W>
  void use_weights(std::span<const W> on_device) {
    weights_made_by<W>([&] { return std::make_unique<DeviceWeights<W>>(on_device); });
  }
  [[nodiscard]] cuda::DerivedCache& derived() noexcept { return derived_; }
  [[nodiscard]] const cuda::DerivedCache& derived() const noexcept { return derived_; }

  /// Returns the bytes of the graph, without weights that are being copied. Does not wait for
  /// these.
  [[nodiscard]] std::size_t bytes() const {
    const auto bytes_of = [](const auto& weights) {
      return weights.if_made() != nullptr ? weights.if_made()->bytes() : 0;
    };
    return structure_->bytes() + derived_.bytes() +
           std::apply([&](const auto&... of) { return (bytes_of(of) + ...); }, weights_);
  }

 private:
  template <class W>
  using Weights = MadeOnce<DeviceWeights<W>>;

  template <class W, class Make>
  CsrView<W> weights_made_by(const Make& make) {
    return std::get<Weights<W>>(weights_).with(make, [&](const DeviceWeights<W>& weights) {
      return with_weights(pattern(), weights.data());
    });
  }

  std::shared_ptr<const DeviceStructure> structure_;
  cuda::BorrowedStream stream_;
  std::tuple<Weights<float>, Weights<double>, Weights<std::int32_t>, Weights<std::int64_t>>
      weights_;
  cuda::DerivedCache derived_;
};

}  // namespace warpgraph
