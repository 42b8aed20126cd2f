// The web page: files that are part of the binary.
#include "api/page.hpp"
#include "api/handlers/handlers.hpp"

namespace catena::api {
namespace {

constexpr int kFound = 302;

Outcome<Answer> file_of_page(const Asked& asked, const std::string& name) {
  auto answer = page_answer(page_files(), name, asked.if_none_match);
  if (!answer) return refuse(std::move(answer).error());
  return std::move(*answer);
}

}  // namespace

Outcome<Answer> go_to_page(const Asked&) { return Answer{kFound, {}, "text/plain", {{"Location", "/ui/"}}}; }
Outcome<Answer> send_page(const Asked& asked) { return file_of_page(asked, "index.html"); }
Outcome<Answer> send_page_file(const Asked& asked) { return file_of_page(asked, asked.path.at("file")); }

}  // namespace catena::api
