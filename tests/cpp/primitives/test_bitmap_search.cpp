// The search of a bitmap with vectors against one vertex after the other.
#include "core/containers/bitmap.hpp"
#include "primitives/search/bitmap_search.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace warpgraph {
namespace {

constexpr vertex_t n_vertices = 1000;

std::vector<vertex_t> random_vertices(std::size_t n, std::mt19937& random) {
  std::vector<vertex_t> vertices(n);
  for (vertex_t& v : vertices) v = static_cast<vertex_t>(random() % n_vertices);
  return vertices;
}

TEST(BitmapSearch, FindsTheFirstOfRowsOfEachLength) {
  std::mt19937 random(3);
  const BitmapSearch find = fastest_bitmap_search();
  for (const unsigned one_of : {1u, 2u, 10u, 100u, 100'000u}) {
    Bitmap bitmap(n_vertices);
    for (vertex_t v = 0; v < n_vertices; ++v) {
      if (random() % one_of == 0) bitmap.view().set(v);
    }
    const std::uint64_t* const words = bitmap.words().data();
    for (std::size_t n = 0; n <= 70; ++n) {
      const std::vector<vertex_t> row = random_vertices(n, random);
      const vertex_t* const last = row.data() + n;
      for (const vertex_t* first = row.data();; ++first) {
        const vertex_t* expected = first;
        while (expected != last && !bitmap.view().test(*expected)) ++expected;
        EXPECT_EQ(find(words, first, last), expected);
        EXPECT_EQ(find_in_bitmap(words, first, last), expected);
        if (first == last) break;
      }
    }
  }
}

TEST(BitmapSearch, ReadsTheLastBitOfEachWord) {
  Bitmap bitmap(n_vertices);
  std::vector<vertex_t> row;
  for (vertex_t v = 31; v < n_vertices; v += 32) row.push_back(v);
  for (const vertex_t& v : row) {
    bitmap.clear();
    bitmap.view().set(v);
    EXPECT_EQ(fastest_bitmap_search()(bitmap.words().data(), row.data(), row.data() + row.size()),
              &v);
  }
}

}  // namespace
}  // namespace warpgraph
