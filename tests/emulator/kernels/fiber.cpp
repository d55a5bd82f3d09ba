#include "kernels/fiber.hpp"

#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace emulator {
namespace {

constexpr std::size_t page = 4096;
/// Untouched pages take no memory, so large stacks cost nothing.
constexpr std::size_t stack_bytes = 64 * page;

}  // namespace

Fiber::Fiber() {
  void* memory = mmap(nullptr, stack_bytes + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  mprotect(memory_, page, PROT_NONE);
}

Fiber::~Fiber() { munmap(memory_, stack_bytes + page); }

#if defined(__x86_64__)

// Functions of the System V ABI preserve rbx, rbp and r12 to r15; the caller saves the others.
asm(R"(
.text
.p2align 4
.type emulator_switch, @function
emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq (%rsi), %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulator_switch, . - emulator_switch
)");
extern "C" void emulator_switch(void** from, void** to);

void switch_context(Context& from, Context& to) { emulator_switch(&from, &to); }

void Fiber::prepare(void (*entry)()) {
  // The stack as at the start of `entry`: a return address of 0 above, six registers below.
  auto* top = reinterpret_cast<std::uintptr_t*>(memory_ + page + stack_bytes);
  *--top = 0;
  *--top = reinterpret_cast<std::uintptr_t>(entry);
  for (int i = 0; i < 6; ++i) *--top = 0;
  context_ = top;
}

#else

void switch_context(Context& from, Context& to) { swapcontext(&from, &to); }

void Fiber::prepare(void (*entry)()) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = memory_ + page;
  context_.uc_stack.ss_size = stack_bytes;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
}

#endif

}  // namespace emulator
