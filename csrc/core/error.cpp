#include "core/error.hpp"

#include <algorithm>
#include <sstream>

namespace warpgraph {
namespace {

bool is_by_name(const SentencePart& part) { return part.by_name() != nullptr; }

}  // namespace

void SentencePart::add_to(std::string& sentence) const {
  std::ostringstream number;
  switch (kind_) {
    case Kind::text:
      sentence += text_;
      return;
    case Kind::letter:
      sentence += letter_;
      return;
    case Kind::floating:
      number << floating_;
      break;
    case Kind::integer:
      number << integer_;
      break;
    case Kind::natural:
      number << natural_;
      break;
    case Kind::by_name:
      if (by_name_.head == no_vertex) {
        number << by_name_.vertex;
      } else {
        number << '(' << by_name_.vertex << ", " << by_name_.head << ')';
      }
      break;
  }
  sentence += number.str();
}

std::string joined(std::initializer_list<SentencePart> parts) {
  std::string sentence;
  for (const SentencePart& part : parts) part.add_to(sentence);
  return sentence;
}

NamedPlaces::NamedPlaces(std::initializer_list<SentencePart> parts) {
  std::vector<NamedPlace> places;
  std::string sentence;
  for (const SentencePart& part : parts) {
    const std::size_t begin = sentence.size();
    part.add_to(sentence);
    if (is_by_name(part)) places.push_back({begin, sentence.size(), *part.by_name()});
  }
  places_ = std::make_shared<const std::vector<NamedPlace>>(std::move(places));
}

void throw_invalid(std::initializer_list<SentencePart> parts) {
  if (std::any_of(parts.begin(), parts.end(), is_by_name)) {
    throw Naming<std::invalid_argument>(parts);
  }
  throw std::invalid_argument(joined(parts));
}

}  // namespace warpgraph
