// All pairs on several members of a device, whose rows stay in its memory or pass through it: a
// call that is ended at any poll takes no memory afterwards and writes nothing, and the next call
// is right.
#include "algorithms/apsp/apsp.hpp"
#include "core/interrupt.hpp"
#include "on_device.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace warpgraph {
namespace {

struct EndedByTest {};

/// Throws at a poll of the thread, as the hooks of Python do after Ctrl-C.
class EndingHooks final : public CallHooks {
 public:
  explicit EndingHooks(int poll) : polls_left_(poll) {}
  void poll() override {
    if (--polls_left_ == 0) throw EndedByTest{};
  }
  void progress(std::int64_t, std::int64_t) override {}

 private:
  int polls_left_;
};

/// Members, and the bytes of the device; 0: all of it.
struct TeamAndMemory {
  int n_members;
  std::size_t limit;
  std::int64_t rows_per_piece = 0;
};

class ApspMulti : public test::OnDeviceWith<TeamAndMemory> {
 protected:
  using Matrix = std::vector<double>;
  static constexpr std::int64_t gap = 3;

  /// With the larger number, three members have 128 rows each, two pieces of 64.
  static vertex_t n_vertices() { return GetParam().limit > 0 ? 200 : 350; }
  static std::int64_t stride() { return n_vertices() + gap; }
  static Matrix empty_result() {
    return Matrix(static_cast<std::size_t>(n_vertices() * stride()), -1.0);
  }

  void run(Matrix& result, std::int64_t rows_per_piece) const {
    const CsrView<double> copy = copy_->view();
    const std::vector<CsrView<double>> copies(static_cast<std::size_t>(GetParam().n_members), copy);
    const std::vector<Device> devices(copies.size(), device());
    ApspOptions options;
    if (GetParam().limit > 0) options.budget = MemoryBudget({}, GetParam().limit);
    options.rows_per_piece = rows_per_piece;
    apsp_multi(copies, graph_.view(), options, {result.data(), stride()}, devices);
  }

  /// Whether the call is ended by that poll; it has fewer otherwise.
  bool ends_at(int poll, Matrix& result) const {
    EndingHooks hooks(poll);
    const ScopedHooks installed(hooks);
    try {
      run(result, GetParam().rows_per_piece);
      return false;
    } catch (const EndedByTest&) {
      return true;
    }
  }

  /// Of arrays in the device's memory, after its work.
  std::size_t bytes_taken() const {
    const cuda::DeviceGuard guard(device());
    CUDA_TRY(cudaDeviceSynchronize());
    cudaMemPool_t pool = nullptr;
    CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, device().index));
    std::uint64_t used = 0;
    CUDA_TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    return used;
  }

  void SetUp() override {
    test::OnDeviceWith<TeamAndMemory>::SetUp();
    if (IsSkipped()) return;
    graph_ = test::random_graph<double>(n_vertices(), 1500, 7);
    for (double& weight : graph_.weights) weight = (weight + 1) / 7;
    copy_.emplace(graph_.view(), stream());
    stream().synchronize();  // members read the copy on streams of their own
  }

 private:
  Csr<double> graph_;
  std::optional<test::CopiedGraph<double>> copy_;
};

// Stages of 64 pivots, and bands of 64 of 256 rows, take 0.8 MB for each member.
INSTANTIATE_TEST_SUITE_P(, ApspMulti,
                         testing::Values(TeamAndMemory{1, 1'000'000}, TeamAndMemory{2, 2'000'000},
                                         TeamAndMemory{3, 3'000'000}, TeamAndMemory{3, 0},
                                         TeamAndMemory{3, 0, 64}),
                         [](const auto& about) {
                           const TeamAndMemory& given = about.param;
                           const char* const rows = given.limit > 0            ? "_in_bands"
                                                    : given.rows_per_piece > 0 ? "_in_pieces"
                                                                               : "_in_memory";
                           return std::to_string(given.n_members) + rows;
                         });

TEST_P(ApspMulti, EndsAtAnyPollAndWorksAgain) {
  Matrix expected = empty_result();
  run(expected, 0);
  const std::size_t before = bytes_taken();
  bool has_ended = true;
  for (int poll = 1; has_ended; poll += 1 + poll / 2) {
    Matrix result = empty_result();
    has_ended = ends_at(poll, result);
    const Matrix left = result;
    ASSERT_EQ(bytes_taken(), before) << "ended at poll " << poll;
    ASSERT_EQ(result, has_ended ? left : expected) << "ended at poll " << poll;
    run(result, GetParam().rows_per_piece);
    ASSERT_EQ(result, expected) << "ended at poll " << poll << ", then called again";
  }
}

}  // namespace
}  // namespace warpgraph
