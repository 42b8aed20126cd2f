#pragma once
// What gate and dialer say of themselves: lines for a log, without line ends, secrets or what a stranger sent.
#include <functional>
#include <string_view>

namespace catena::link {

enum class LinkNews { info, warning };
/// Called on the thread of the gate or dialer: it must not wait. Gate lines are limited to some a second; what was left out is counted.
using LinkLog = std::function<void(LinkNews news, std::string_view line)>;

}  // namespace catena::link
