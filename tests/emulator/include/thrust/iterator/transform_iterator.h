// Stands in for Thrust's header of this name.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace thrust {

template <class Iterator, class Function>
struct transform_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using reference =
      std::invoke_result_t<Function, typename std::iterator_traits<Iterator>::reference>;
  using value_type = std::remove_cvref_t<reference>;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;

  Iterator base;
  Function function;
  reference operator*() const { return function(*base); }
  reference operator[](difference_type i) const { return function(base[i]); }
  transform_iterator operator+(difference_type i) const { return {base + i, function}; }
};

template <class Iterator, class Function>
transform_iterator<Iterator, Function> make_transform_iterator(Iterator base, Function function) {
  return {base, function};
}

}  // namespace thrust
