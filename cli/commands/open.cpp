#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "api/target.hpp"
#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"

namespace catena::cli {
namespace {

struct OpenOptions {
  std::string chain;
  Place place;
  bool browser = false;
};

/// Of the server that has the page. Error: usage, where nobody knows one.
Result<std::string> page_server(const Place& place) {
  const auto target = target_of(place);
  if (!target) return fail(target.error());
  if (target->by && !target->by->url.empty()) return target->by->url;
  const auto configured = configuration();
  if (!configured) return fail(configured.error());
  const auto& settings = configured->settings;
  if (target->is_elsewhere() || settings.http_listen.empty()) {
    auto error = make_error(Code::usage, target->is_elsewhere()
                                             ? fmt::format("what is known of {} is the address of its links, and none of its page", target->address)
                                             : std::string{"no coordinator here serves a page: http.listen is not set"});
    error.notes.emplace_back("`catena profile add NAME --url URL` says where the page of a coordinator is; `catena dev` prints its own address");
    return fail(std::move(error));
  }
  return fmt::format("{}://{}", settings.http_certificate_file.empty() ? "http" : "https", settings.http_listen);
}

/// The program that shows an address, as the desktop has it. It goes on by itself.
Result<void> show_in_browser(const std::string& url) {
  auto program = std::string{"xdg-open"};
  auto address = url;
  char* const words[]{program.data(), address.data(), nullptr};
  pid_t process = 0;
  int failed = ::posix_spawnp(&process, program.c_str(), nullptr, nullptr, words, ::environ);
  int status = 0;
  if (failed == 0 && ::waitpid(process, &status, 0) < 0) failed = errno;
  constexpr int kNotFound = 127;
  if (failed == 0 && WIFEXITED(status) && WEXITSTATUS(status) == kNotFound) failed = ENOENT;
  if (failed != 0) return fail(Code::program_not_found, fmt::format("no browser was opened: xdg-open: {}", std::strerror(failed)));
  if (status != 0) return fail(Code::internal, "no browser was opened: xdg-open failed");
  return {};
}

ExitCode open(const OpenOptions& options, Console& console) {
  const auto server = page_server(options.place);
  if (!server) return report(console, server.error());
  auto url = *server + "/ui/";
  if (!options.chain.empty()) url += "#/chains/" + api::percent_encoded(options.chain);
  console.out().line(url);
  console.out().flush();
  if (!options.browser) return ExitCode::ok;
  const auto shown = show_in_browser(url);
  return shown ? ExitCode::ok : report(console, shown.error());
}

}  // namespace

Action define_open(CLI::App& app) {
  const auto options = std::make_shared<OpenOptions>();
  app.add_option("id", options->chain, "a chain: the page shows it (default: the page of all chains)")->option_text("ID");
  app.add_flag("--browser", options->browser, "open it in a browser, too (xdg-open)");
  add_place(app, options->place);
  return [options](Console& console) { return open(*options, console); };
}

}  // namespace catena::cli
