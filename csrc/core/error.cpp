#include "core/error.hpp"

#include <sstream>

namespace warpgraph {

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
  }
  sentence += number.str();
}

std::string joined(std::initializer_list<SentencePart> parts) {
  std::string sentence;
  for (const SentencePart& part : parts) part.add_to(sentence);
  return sentence;
}

}  // namespace warpgraph
