#include "core/error.hpp"
#include "graph/checks/entry_errors.hpp"
#include "graph/csr.hpp"
#include "primitives/relaxation/overflow.hpp"
#include "support.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgraph {
namespace {

using test::message_of;

/// Returns an error of type E that the call throws.
template <class E, class Call>
E caught(Call&& call) {
  try {
    call();
  } catch (const E& error) {
    return error;
  }
  throw std::logic_error("the call has thrown no error");
}

void expect_place(const NamedPlaces& error, const std::string& sentence, std::size_t i,
                  const std::string& text, vertex_t vertex, vertex_t head) {
  const auto [begin, end, vertices] = error.places().at(i);
  EXPECT_EQ(sentence.substr(begin, end - begin), text);
  EXPECT_EQ(vertices.vertex, vertex);
  EXPECT_EQ(vertices.head, head);
}

TEST(Error, KnowsWhereItsSentenceHasVertices) {
  const auto refuse = [] { EXPECTS(false, "from ", ByName{12}, " to ", 3, ", ", ByName{0, 7}); };
  const std::string sentence = "from 12 to 3, (0, 7)";
  EXPECT_EQ(message_of(refuse), sentence);
  const auto error = caught<Naming<std::invalid_argument>>(refuse);
  ASSERT_EQ(error.places().size(), 2U);
  expect_place(error, sentence, 0, "12", 12, no_vertex);
  expect_place(error, sentence, 1, "(0, 7)", 0, 7);
  const NegativeCycle cycle(7);
  ASSERT_EQ(cycle.places().size(), 1U);
  expect_place(cycle, cycle.what(), 0, "7", 7, no_vertex);
}

TEST(Error, OfAnEntryHasItsPositionAndWeight) {
  Csr<double> graph;
  graph.offsets = {0, 1, 2};
  graph.heads = {1, 0};
  graph.weights = {2.5, std::numeric_limits<double>::quiet_NaN()};
  const auto validate = [&] { validate_weights<double>({graph.weights.data(), 2}, graph.view()); };
  const auto error = caught<EntryError<std::invalid_argument>>(validate);
  EXPECT_EQ(error.position, 1);
  EXPECT_TRUE(std::isnan(std::get<double>(error.weight)));
  expect_place(error, error.what(), 0, "(1, 0)", 1, 0);
}

TEST(Error, OfASumHasItsDistance) {
  const std::int64_t largest = infinity<std::int64_t>() - 1;  // which float64 does not hold
  Csr<std::int64_t> graph;
  graph.offsets = {0, 1, 2, 2};
  graph.heads = {1, 2};
  graph.weights = {largest, 3};
  const std::vector<std::int64_t> distances{0, largest, infinity<std::int64_t>()};
  const auto error = caught<SumOverflow>(
      [&] { shortest_paths::check_overflow<std::int64_t>(graph.view(), distances); });
  EXPECT_EQ(std::get<std::int64_t>(error.distance), largest);
  EXPECT_EQ(std::get<std::int64_t>(error.weight), 3);
  EXPECT_EQ(error.position, 1);
  ASSERT_EQ(error.places().size(), 2U);
  expect_place(error, error.what(), 1, "(1, 2)", 1, 2);
}

}  // namespace
}  // namespace warpgraph
