#pragma once
// Who may look into this process: it holds tokens and keys, and the tools that it starts may run as the same user.

namespace catena::cli {

enum class Inspection {
  refused,  // no debugger, no core dump, and /proc/PID (environ, fd, maps, mem) for root alone
  allowed   // as every other process of its user
};

/// Of this process; programs that it starts are as open as any. Refused from the first line of main; an operator may allow it
/// (process.inspectable).
void set_inspection(Inspection inspection);

}  // namespace catena::cli
