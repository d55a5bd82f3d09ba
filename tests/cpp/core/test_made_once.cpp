// Objects that are made once, while other threads and forked children want them.
#include "core/containers/made_once.hpp"
#include "core/threads/parallel.hpp"  // its fork handler

#include <gtest/gtest.h>
#include <latch>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace warpgraph {
namespace {

/// Returns the exit code of a forked child that runs body(), which returns it; -1 if it is killed.
template <class Body>
int exit_code_of_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    _exit(body());
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MadeOnce, AForkedChildDoesNotWaitForAThreadOfItsParent) {
  configured_threads();
  MadeOnce<int> number;
  std::latch is_inside(1);
  std::latch may_leave(1);
  std::thread maker([&] {
    number.with(
        [&] {
          is_inside.count_down();
          may_leave.wait();
          return std::make_unique<int>(1);
        },
        [](int) {});
  });
  is_inside.wait();
  const auto two_of = [](MadeOnce<int>& of) {
    return of.with([] { return std::make_unique<int>(2); }, [](int it) { return it; });
  };
  EXPECT_EQ(exit_code_of_child([&] {
              // Threads of the child wait for each other as always, and a grandchild for none.
              int found = 0;
              std::thread([&] { found = two_of(number); }).join();
              return found == two_of(number) ? exit_code_of_child([&] { return two_of(number); })
                                             : 1;
            }),
            2);
  may_leave.count_down();
  maker.join();
  EXPECT_EQ(two_of(number), 1);
}

TEST(MadeOnce, AThreadThatForksInsideStaysInside) {
  MadeOnce<int> number;
  const int made = number.with(
      [&] {
        const int code = exit_code_of_child([&] {
          // The forked thread is inside with(), which makes an object of its own.
          return number.with([] { return std::make_unique<int>(3); }, [](int it) { return it; });
        });
        return std::make_unique<int>(code);
      },
      [](int it) { return it; });
  EXPECT_EQ(made, 3);
}

}  // namespace
}  // namespace warpgraph
