// The buckets of delta-stepping.
#include "primitives/search/buckets.hpp"

#include <gtest/gtest.h>
#include <span>
#include <vector>

namespace warpgraph {
namespace {

using namespace shortest_paths;

const Bucketing by_one(1.0);

/// One round: the vertices of bucket `now`, in the order in which a search relaxes them.
std::vector<vertex_t> take_round(Bins<float>& bins, std::span<const Lowered<float>> published,
                                 Bucket now) {
  std::vector<vertex_t> taken;
  bins.begin_round(now, by_one, [&](const Lowered<float>& entry) {
    const Bucket bucket = by_one(entry.distance);
    if (bucket == now) {
      taken.push_back(entry.vertex);
    } else {
      bins.put(entry, bucket, now);
    }
  });
  for (const Lowered<float>& entry : published) taken.push_back(entry.vertex);
  return taken;
}

/// There are 64 bins, so buckets whose numbers differ by 64 share one. A published bin must not be
/// published again: it is emptied when the next round begins.
TEST(Bins, BucketsAnyNumberApart) {
  for (Bucket jump = 1; jump <= 300; ++jump) {
    Bins<float> bins;
    bins.clear();
    bins.begin_round(0, by_one, [](const Lowered<float>&) {});
    // Vertex 0 waits in a bin, which is published for the round in which vertex 1 is found.
    bins.put({5, 0}, 5, 0);
    ASSERT_EQ(bins.first(0, by_one), 5);
    const auto published = bins.publish(5);
    ASSERT_EQ(take_round(bins, published, 5), std::vector<vertex_t>{0}) << jump;
    bins.put({static_cast<float>(5 + jump), 1}, 5 + jump, 5);
    const Bucket next = bins.first(5, by_one);
    ASSERT_EQ(next, 5 + jump);
    const auto published_next = bins.publish(next);
    for (const Lowered<float>& entry : published_next) ASSERT_EQ(entry.vertex, 1) << jump;
    ASSERT_EQ(take_round(bins, published_next, next), std::vector<vertex_t>{1}) << jump;
    ASSERT_EQ(bins.first(next, by_one), no_bucket) << jump;
  }
}

}  // namespace
}  // namespace warpgraph
