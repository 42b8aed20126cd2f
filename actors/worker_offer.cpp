#include "actors/worker_offer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/characters.hpp"

namespace catena::actors {
namespace {

constexpr std::size_t kWorkerNameBytesMax = 64;
constexpr std::size_t kWordsMax = 1024;  // labels, kinds, capabilities, tool roots: each list
constexpr std::size_t kOfferedWordBytesMax = 4096;
constexpr std::uint32_t kSlotsMax = 4096;

bool modest(const std::vector<std::string>& words) {
  return words.size() <= kWordsMax && std::ranges::all_of(words, [](const auto& word) { return word.size() <= kOfferedWordBytesMax; });
}

}  // namespace

std::optional<std::string> wrong_offer(const Greeting& greeting) {
  const auto& name = greeting.name;
  if (name.empty() || name.size() > kWorkerNameBytesMax || !std::ranges::all_of(name, in_dotted_name)) {
    return fmt::format("a worker's name is 1 to {} letters, digits, '.', '_', '-'; give it one with --name, or as worker.name", kWorkerNameBytesMax);
  }
  if (name == kChainsWorkerName || name == kOwnWorkerName) {
    return fmt::format("'{}' cannot be a worker's name, the coordinator has it for itself; give another with --name, or as worker.name", name);
  }
  if (greeting.slots == 0 || greeting.slots > kSlotsMax) {
    return fmt::format("worker '{}' offers {} slots; from 1 to {} will do", name, greeting.slots, kSlotsMax);
  }
  const std::array<std::pair<std::string_view, const std::vector<std::string>*>, 4> lists{{{"labels", &greeting.labels},
                                                                                           {"kinds of endpoints", &greeting.kinds},
                                                                                           {"capabilities", &greeting.capabilities},
                                                                                           {"tool roots", &greeting.tool_roots}}};
  for (const auto& [what, words] : lists) {
    if (modest(*words)) continue;
    return fmt::format("worker '{}' says more of itself than a coordinator remembers: of {} there can be {}, each of up to {} bytes", name, what,
                       kWordsMax, kOfferedWordBytesMax);
  }
  return std::nullopt;
}

Hello offered_by(const Greeting& greeting) {
  Hello hello;
  hello.worker = greeting.name;
  hello.incarnation = greeting.incarnation;
  hello.slots = greeting.slots;
  hello.labels = greeting.labels;
  hello.kinds = greeting.kinds;
  hello.capabilities = greeting.capabilities;
  hello.tool_roots = greeting.tool_roots;
  hello.adopts = true;
  return hello;
}

}  // namespace catena::actors
