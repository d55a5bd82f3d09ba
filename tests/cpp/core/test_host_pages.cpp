// Prefaulting maps the pages of new memory, and no others.
#include "core/memory/host_pages.hpp"
#include "core/new_pages.hpp"

#include <gtest/gtest.h>

namespace warpgraph {
namespace {

using test::NewPages;

TEST(HostPages, WholePagesArePopulatedAndKeepTheirContents) {
  const NewPages memory(40);
  const std::size_t page = memory.page();
  memory.bytes()[3 * page + 7] = std::byte{42};
  populate_pages(memory.bytes().data() + page + 1, 5 * page);
  if (memory.n_mapped() == 1) GTEST_SKIP() << "this system populates no pages";
  const std::vector<bool> mapped = memory.mapped();
  for (std::size_t i = 0; i < mapped.size(); ++i) EXPECT_EQ(mapped[i], 2 <= i && i < 6) << i;
  EXPECT_EQ(memory.bytes()[3 * page + 7], std::byte{42});
}

TEST(HostPages, PagesThatWereWrittenAreMapped) {
  const NewPages memory(3);
  std::byte* const middle = memory.bytes().data() + memory.page();
  EXPECT_FALSE(is_mapped(middle));
  *middle = std::byte{1};
  EXPECT_TRUE(is_mapped(middle + memory.page() - 1));
  EXPECT_FALSE(is_mapped(middle - 1));
  EXPECT_FALSE(is_mapped(middle + memory.page()));
}

TEST(HostPages, LessThanAPageIsNotPopulated) {
  const NewPages memory(2);
  populate_pages(memory.bytes().data() + 1, memory.page());
  populate_pages(memory.bytes().data(), 0);
  EXPECT_EQ(memory.n_mapped(), 0);
}

}  // namespace
}  // namespace warpgraph
