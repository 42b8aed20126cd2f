#include "cli/removal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kAskedAtOnce = 256;  // between two looks whether somebody interrupts

}  // namespace

bool confirmed(Console& console, const std::string& question) {
  if (::isatty(STDIN_FILENO) != 1) return true;
  console.out().flush();
  console.say(question + " [y/N]");
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
}

ExitCode remove_and_tell(client::ChainsPort& chains, const std::vector<ChainId>& ids, UnixMillis ended_before, const std::string& reason, Form form,
                         Console& console) {
  auto code = ExitCode::ok;
  std::size_t removed = 0;
  const auto say_removed = [&] { console.say(fmt::format("removed {}", counted(removed, "chain"))); };
  for (std::size_t from = 0; from < ids.size() && !Interrupt::requested(); from += kAskedAtOnce) {
    const auto at = [&](std::size_t index) { return ids.begin() + static_cast<std::ptrdiff_t>(std::min(index, ids.size())); };
    const auto done = chains.remove({at(from), at(from + kAskedAtOnce)}, ended_before, reason);
    if (!done) {
      if (removed > 0) say_removed();
      return report(console, done.error());
    }
    removed += done->removed.size();
    if (!for_people(form)) {
      for (const auto& chain : done->removed) print_element(form, {{"chain_id", chain.value}, {"removed", true}}, chain.value, console);
      console.out().flush();
    }
    if (ids.size() > kAskedAtOnce) console.draw(fmt::format("removed {} of {}", removed, ids.size()));
    for (const auto& refused : done->refused) {
      if (ended_before == 0) code = report(console, refused.error);
    }
  }
  console.draw("");
  if (removed > 0 || code == ExitCode::ok) say_removed();
  return Interrupt::requested() ? ExitCode::interrupted : code;
}

}  // namespace catena::cli
