// What CAF does between threads, as the thread sanitizer needs to know it. Debian's CAF is not instrumented: its mailboxes and queues hand
// messages and actors over by atomics that the sanitizer does not see, and it would take each message for a race. Suppressions cannot say
// that: every handler has CAF below it on its stack, so one that is wide enough to hide these hides every race in an actor. So the
// functions of CAF in which a hand-over happens are wrapped here, each tells the sanitizer of its order, which is the one that CAF's own
// atomics make, and calls CAF's. Only in programs that are built for the thread sanitizer.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <caf/all.hpp>
#include <cstdlib>

namespace {

/// CAF's own, behind the one of this file.
template <class Function>
Function* next(const char* symbol) {
  auto* const found = ::dlsym(RTLD_NEXT, symbol);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

void release(const void* what) { __tsan_release(const_cast<void*>(what)); }
void acquire(const void* what) { __tsan_acquire(const_cast<void*>(what)); }

}  // namespace

namespace caf {

// ---- who sends comes before who receives --------------------------------------------------------------------------------

void scheduled_actor::enqueue(mailbox_element_ptr what, execution_unit* where) {
  static auto* const original = next<void(scheduled_actor*, mailbox_element_ptr, execution_unit*)>(
      "_ZN3caf15scheduled_actor7enqueueESt10unique_ptrINS_15mailbox_elementENS_6detail8disposerEEPNS_14execution_unitE");
  release(what.get());
  release(this);
  original(this, std::move(what), where);
}

invoke_message_result scheduled_actor::consume(mailbox_element& what) {
  static auto* const original =
      next<invoke_message_result(scheduled_actor*, mailbox_element&)>("_ZN3caf15scheduled_actor7consumeERNS_15mailbox_elementE");
  acquire(&what);
  auto result = original(this, what);
  release(this);  // once CAF has found that no message is left, another thread may run it before resume() returns here
  return result;
}

/// What is still in its mailbox is dropped here.
bool scheduled_actor::finalize() {
  static auto* const original = next<bool(scheduled_actor*)>("_ZN3caf15scheduled_actor8finalizeEv");
  acquire(this);
  return original(this);
}

void blocking_actor::enqueue(mailbox_element_ptr what, execution_unit* where) {
  static auto* const original = next<void(blocking_actor*, mailbox_element_ptr, execution_unit*)>(
      "_ZN3caf14blocking_actor7enqueueESt10unique_ptrINS_15mailbox_elementENS_6detail8disposerEEPNS_14execution_unitE");
  release(what.get());
  original(this, std::move(what), where);
}

intrusive::task_result blocking_actor::mailbox_visitor::operator()(mailbox_element& what) {
  static auto* const original =
      next<intrusive::task_result(mailbox_visitor*, mailbox_element&)>("_ZN3caf14blocking_actor15mailbox_visitorclERNS_15mailbox_elementE");
  acquire(&what);
  return original(this, what);
}

// ---- an actor runs on one thread after the other ------------------------------------------------------------------------

void scheduled_actor::launch(execution_unit* where, bool lazy, bool hide) {
  static auto* const original = next<void(scheduled_actor*, execution_unit*, bool, bool)>("_ZN3caf15scheduled_actor6launchEPNS_14execution_unitEbb");
  release(this);
  original(this, where, lazy, hide);
}

resumable::resume_result scheduled_actor::resume(execution_unit* where, std::size_t messages) {
  static auto* const original =
      next<resume_result(scheduled_actor*, execution_unit*, std::size_t)>("_ZN3caf15scheduled_actor6resumeEPNS_14execution_unitEm");
  acquire(this);
  const auto result = original(this, where, messages);
  release(this);  // whoever has run it holds a reference to it until later
  return result;
}

// ---- whoever drops the last reference comes after all others, as its atomic counter has it ------------------------------

void intrusive_ptr_release(actor_control_block* what) {
  static auto* const original = next<void(actor_control_block*)>("_ZN3caf21intrusive_ptr_releaseEPNS_19actor_control_blockE");
  release(what);
  acquire(what);
  original(what);
}

void intrusive_ptr_release_weak(actor_control_block* what) {
  static auto* const original = next<void(actor_control_block*)>("_ZN3caf26intrusive_ptr_release_weakEPNS_19actor_control_blockE");
  release(what);
  acquire(what);
  original(what);
}

}  // namespace caf
