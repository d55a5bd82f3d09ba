// The points of a device in panels of float32, panel_width points each, in a fixed order that has
// nothing to do with that of the rows, so that the first points are a sample of all.
#pragma once

#include "core/cuda/copies/upload.hpp"
#include "core/cuda/launch.cuh"
#include "core/cuda/memory/buffer.hpp"
#include "graph/points/device_points.hpp"
#include "primitives/products/on_devices.hpp"
#include "primitives/products/panel_scale.hpp"

#include <numeric>

namespace warpgraph::products {

/// Coordinates that a block multiplies at a time; panels have a multiple of these.
inline constexpr int panel_step = 8;

/// The id of the point at a position: steps of about the golden section of n, without a common
/// divisor, or of 1.
struct PanelOrder {
  WARPGRAPH_HOST_DEVICE vertex_t id(std::int64_t position) const {
    return static_cast<vertex_t>(position * step % n);
  }

  std::int64_t n;
  std::int64_t step;
};
inline PanelOrder scattered_order(vertex_t n) {
  std::int64_t step = static_cast<std::int64_t>(0.618 * n) | 1;
  while (std::gcd(step, std::int64_t{n}) != 1) step += 2;
  return {n, step};
}

/// View of panels: coordinate k of the point at position p is at
/// coordinates[((p / panel_width) * depth + k) * panel_width + p % panel_width], and 0 beyond the
/// last point.
struct Panels {
  const float* coordinates;
  const float* squares;  // of the points' lengths; NaN of points that are out of range
  std::int64_t n_points;
  std::int64_t n_panels;
  std::int64_t depth;  // coordinates, and zeros up to a multiple of panel_step
  PanelOrder order;

  __device__ const float* panel(std::int64_t i) const {
    return coordinates + i * depth * panel_width;
  }
};

template <class T>
__global__ void add_columns(DevicePoints<T> points, std::int64_t rows_per_block, double share,
                            double* sums) {
  const std::int64_t first = blockIdx.x * rows_per_block;
  const std::int64_t last = min(first + rows_per_block, std::int64_t{points.n});
  for (int k = static_cast<int>(threadIdx.x); k < points.dimension; k += blockDim.x) {
    double sum = 0;
    for (std::int64_t p = first; p < last; ++p) {
      sum += static_cast<double>(points.at(static_cast<vertex_t>(p), k)) * share;
    }
    atomicAdd(sums + k, sum);
  }
}

/// Sets the maximum of what it was and the distances of coordinates from the centre. As integers,
/// doubles that are not negative have the same order, and NaN is above all.
template <class T>
__global__ void find_largest(DevicePoints<T> points, std::int64_t rows_per_block,
                             const double* centre, unsigned long long* largest) {
  const std::int64_t first = blockIdx.x * rows_per_block;
  const std::int64_t last = min(first + rows_per_block, std::int64_t{points.n});
  for (int k = static_cast<int>(threadIdx.x); k < points.dimension; k += blockDim.x) {
    unsigned long long most = 0;
    for (std::int64_t p = first; p < last; ++p) {
      const double apart =
          fabs(static_cast<double>(points.at(static_cast<vertex_t>(p), k)) - centre[k]);
      most = max(most, static_cast<unsigned long long>(__double_as_longlong(apart)));
    }
    atomicMax(largest, most);
  }
}

/// Upper bound on the coordinates of points in panels; those of the points that scale and centre
/// are of are at most 1.
inline constexpr float largest_coordinate = 1e12F;

/// Fills a panel by each block, and the coordinates of a point by each thread.
template <class T>
__global__ void __launch_bounds__(panel_width)
    fill_panels(DevicePoints<T> points, PanelOrder order, const double* centre, double scale,
                std::int64_t depth, float* coordinates, float* squares) {
  const std::int64_t position = std::int64_t{blockIdx.x} * panel_width + threadIdx.x;
  const bool is_point = position < points.n;
  const vertex_t id = order.id(is_point ? position : 0);
  float* const to = coordinates + blockIdx.x * depth * panel_width + threadIdx.x;
  double square = 0;
  bool is_in_range = true;
  for (int k = 0; k < depth; ++k) {
    float moved = 0;
    if (is_point && k < points.dimension) {
      moved = static_cast<float>((static_cast<double>(points.at(id, k)) - centre[k]) * scale);
    }
    if (!(fabsf(moved) <= largest_coordinate)) {
      is_in_range = false;
      moved = 0;
    }
    to[std::int64_t{k} * panel_width] = moved;
    square += static_cast<double>(moved) * static_cast<double>(moved);
  }
  squares[position] = is_in_range ? static_cast<float>(square) : nanf("");
}

template <class T>
class OwnedPanels {
 public:
  /// Makes the panels of points in a scattered order, with a scale of their own. They are not
  /// filled if that is not usable.
  OwnedPanels(const DevicePoints<T>& points, const cuda::Stream& stream)
      : OwnedPanels(points, scattered_order(points.n), find_scale(points, stream), stream) {}
  /// Makes the panels of queries in the order of their rows, with the scale of other points.
  OwnedPanels(const DevicePoints<T>& queries, const PanelScale<T>& scale,
              const cuda::Stream& stream)
      : OwnedPanels(queries, {queries.n, 1}, scale, stream) {}

  static std::size_t bytes(std::size_t n, std::size_t dimension) {
    const auto of_point = static_cast<std::size_t>(depth_of(static_cast<std::int64_t>(dimension)));
    const auto n_panels = static_cast<std::size_t>(panels_of(static_cast<std::int64_t>(n)));
    return n_panels * panel_width * (of_point + 1) * sizeof(float);
  }

  [[nodiscard]] const Panels& view() const noexcept { return view_; }
  [[nodiscard]] const PanelScale<T>& scale() const noexcept { return scale_; }

 private:
  OwnedPanels(const DevicePoints<T>& points, const PanelOrder& order, PanelScale<T> scale,
              const cuda::Stream& stream)
      : scale_(std::move(scale)),
        n_panels_(panels_of(points.n)),
        depth_(depth_of(points.dimension)),
        coordinates_(static_cast<std::size_t>(n_panels_ * depth_ * panel_width), stream),
        squares_(static_cast<std::size_t>(n_panels_ * panel_width), stream),
        view_{coordinates_.data(), squares_.data(), points.n, n_panels_, depth_, order} {
    if (!scale_.is_usable()) return;
    const auto centre = cuda::to_device(std::span<const double>(scale_.centre()), stream);
    cuda::launch(stream, n_panels_, panel_width, 0, fill_panels<T>, points, order, centre.data(),
                 scale_.errors().scale, depth_, coordinates_.data(), squares_.data());
  }

  static std::int64_t panels_of(std::int64_t n) { return (n + panel_width - 1) / panel_width; }
  static std::int64_t depth_of(std::int64_t dimension) {
    return (dimension + panel_step - 1) / panel_step * panel_step;
  }

  static PanelScale<T> find_scale(const DevicePoints<T>& points, const cuda::Stream& stream) {
    const auto d = static_cast<std::size_t>(points.dimension);
    constexpr unsigned n_threads = 128;
    constexpr std::int64_t most_blocks = 1024;
    const std::int64_t rows_per_block = (points.n + most_blocks - 1) / most_blocks;
    const std::int64_t n_blocks = (points.n + rows_per_block - 1) / rows_per_block;
    const cuda::DeviceBuffer<double> centre(d + 1, stream);
    double* const largest = centre.data() + d;
    cuda::fill_bytes(centre.data(), 0, d + 1, stream);
    cuda::launch(stream, n_blocks, n_threads, 0, add_columns<T>, points, rows_per_block,
                 1 / static_cast<double>(points.n), centre.data());
    cuda::launch(stream, n_blocks, n_threads, 0, find_largest<T>, points, rows_per_block,
                 centre.data(), reinterpret_cast<unsigned long long*>(largest));
    auto host = cuda::to_host<std::vector<double>>(centre.data(), d + 1, stream);
    const double most = host.back();
    host.pop_back();
    return {std::move(host), most, static_cast<double>(d) + 2};
  }

  PanelScale<T> scale_;
  std::int64_t n_panels_;
  std::int64_t depth_;
  cuda::DeviceBuffer<float> coordinates_;
  cuda::DeviceBuffer<float> squares_;
  Panels view_;
};

}  // namespace warpgraph::products
