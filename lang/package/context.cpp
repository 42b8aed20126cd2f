#include "lang/package/context.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lang/document/json_text.hpp"

namespace catena::lang {
namespace {

bool gives(const Json& context, const std::string& name) {
  const auto found = context.find(name);
  return found != context.end() && !found->is_null() && *found != "";
}

Result<Json> read_context(std::string_view text) {
  if (text.empty()) return Json::object();
  const auto checked = parse_json_text(text);
  if (!checked) return fail(checked.error());
  auto context = JsonView{*checked}.parse();
  if (context.is_null()) return Json::object();
  if (!context.is_object())
    return fail(Code::usage,
                fmt::format("the context must be a JSON object such as {{\"user_id\": \"ann\"}}; this is a {}", name(JsonView{*checked}.kind())));
  return context;
}

Error violation(const Package& package, const std::map<std::string, std::vector<std::string>>& missing) {
  std::string names;
  std::string options;
  for (const auto& [name, by] : missing) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
    options += fmt::format(" --context {}=…", name);
  }
  auto error = make_error(Code::policy_violation, fmt::format("'{}' requires {} in the context of its submission; give {} with{}",
                                                              package.main().name, names, missing.size() == 1 ? "it" : "them", options));
  error.details = Json{{"missing", Json::array()}};
  for (const auto& [name, by] : missing) {
    error.details["missing"].push_back(name);
    error.notes.push_back(fmt::format("'{}' is required by {}", name, fmt::join(by, ", ")));
  }
  return error;
}

}  // namespace

std::map<std::string, std::vector<std::string>> required_context(const Package& package) {
  std::map<std::string, std::vector<std::string>> required;
  for (const auto& [key, program] : package.programs) {
    for (const auto& name : program->requires_context) required[name].push_back(fmt::format("'{}'", program->name));
  }
  return required;
}

Result<std::string> check_context(std::string_view text, const Package& package) {
  const auto context = read_context(text);
  if (!context) return fail(context.error());
  auto missing = required_context(package);
  std::erase_if(missing, [&](const auto& entry) { return gives(*context, entry.first); });
  if (!missing.empty()) return fail(violation(package, missing));
  if (context->empty()) return std::string{};
  constexpr bool kAscii = true;
  auto made = context->dump(-1, ' ', kAscii);
  if (made.size() > kContextBytesMax) {
    return fail(Code::document_too_large,
                fmt::format("the context has {} bytes; at most {} go along to every tool: give what is larger as an argument, or as a file",
                            made.size(), kContextBytesMax));
  }
  return made;
}

}  // namespace catena::lang
