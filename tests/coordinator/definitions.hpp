#pragma once
// Definitions for tests of the coordinator, written down to what matters in the test.
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lang/package/package.hpp"
#include "tests/lang/named_texts.hpp"

namespace catena::coordinator::test {

inline const lang::Catalog kCatalog{{"add", "echo"}};
using Pinned = std::shared_ptr<const lang::Package>;

class Definitions final : public lang::SourceFinder {
 public:
  void add(const std::string& path, std::string text) { texts_[path] = std::move(text); }

  [[nodiscard]] Result<lang::Source> definition(std::string_view path, std::string_view) const override {
    const auto found = texts_.find(std::string{path});
    if (found == texts_.end()) return fail(Code::definition_not_found, "no " + std::string{path});
    return lang::Source{found->first, found->second};
  }
  [[nodiscard]] Result<lang::Source> named(std::string_view name, std::string_view) const override { return lang::test::named_in(texts_, name); }
  [[nodiscard]] Result<std::string> program(std::string_view name, std::string_view) const override { return std::string{name}; }

 private:
  std::map<std::string, std::string> texts_{{"/any.tool", R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo"})"}};
};

/// An instruction; `more` are further members, as JSON.
inline std::string step(const std::string& id, const std::string& more = {}, const std::string& tool = "/any.tool") {
  return R"({"execution_id": ")" + id + R"(", "tool_definition_path": ")" + tool + '"' + (more.empty() ? "" : ", " + more) + '}';
}

/// A condition that holds.
inline const std::string kAlways = R"("conditions": [{"param": 1, "operator": "equals", "value": 1}])";

/// Members of an instruction that fans out over a list (JSON, or a reference), each item as "i"; `more` are further members of the fan-out.
inline std::string each(const std::string& list, const std::string& more = {}) {
  return R"("parallel_execution": {"iterate_over": )" + list + R"(, "child_argument_name": "i")" + (more.empty() ? "" : ", " + more) + '}';
}

/// The list of so many numbers from 0 on.
inline std::string numbers(int count) {
  auto list = Json::array();
  for (int n = 0; n < count; ++n) list.push_back(n);
  return list.dump();
}

/// Fans out over so many numbers.
inline std::string over(int items) { return each(numbers(items)); }

/// A definition of these instructions that takes any arguments.
inline std::string composite(std::initializer_list<std::string> steps, const std::string& more = {}) {
  std::string text = R"({"additional_arguments": true, "instructions": [)";
  for (const auto& one : steps) text += (text.back() == '[' ? "" : ",") + one;
  return text + ']' + (more.empty() ? "" : ", " + more) + '}';
}

inline Pinned pin(std::string root, const std::map<std::string, std::string>& others = {}) {
  Definitions definitions;
  definitions.add("/main.tool", std::move(root));
  for (const auto& [path, text] : others) definitions.add(path, text);
  auto package = lang::load_package("/main.tool", definitions, kCatalog);
  if (!package) throw std::runtime_error{render(package.error().front())};
  return std::make_shared<const lang::Package>(std::move(*package));
}

}  // namespace catena::coordinator::test
