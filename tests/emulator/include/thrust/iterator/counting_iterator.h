// Stands in for Thrust's header of this name.
#pragma once

#include <cstddef>
#include <iterator>

namespace thrust {

template <class T>
struct counting_iterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = T;

  T first;
  T operator*() const { return first; }
  T operator[](difference_type i) const { return static_cast<T>(first + static_cast<T>(i)); }
  counting_iterator operator+(difference_type i) const { return {(*this)[i]}; }
};

template <class T>
counting_iterator<T> make_counting_iterator(T first) {
  return {first};
}

}  // namespace thrust
