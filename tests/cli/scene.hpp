#pragma once
// The catena binary as a person at a shell has it: words in; exit code, data and messages out. Nothing of the tester's own settings leaks
// in.
#include <nlohmann/json.hpp>

#include "tests/system/process.hpp"

namespace cli_test {

namespace fs = std::filesystem;
using nlohmann::json;
using system_test::Folder;
using system_test::Process;
using Words = std::vector<std::string>;

struct Outcome {
  int code = 0;
  std::string out;
  std::string error;
  [[nodiscard]] bool says(const std::string& text) const { return error.find(text) != std::string::npos; }
  [[nodiscard]] bool prints(const std::string& text) const { return out.find(text) != std::string::npos; }
};

class Scene {
 public:
  [[nodiscard]] const Folder& folder() const { return folder_; }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string data() const { return path("data"); }
  [[nodiscard]] bool has_data() const { return fs::exists(data()); }
  [[nodiscard]] std::size_t lines(const std::string& name) const { return system_test::read_lines(folder_ / name).size(); }

  std::string write(const std::string& name, const std::string& text) const { return folder_.write(name, text).string(); }
  std::string define(const std::string& name, const json& definition) const { return write(name, definition.dump()); }

  /// An inline definition of a program that is `script`; its first argument is this folder.
  [[nodiscard]] json tool(const std::string& name, const std::string& script, const json& more = json::object()) const {
    const auto program = folder_.write(name + ".sh", "#!/bin/sh\ncd \"$1\" || exit 1\n" + script, true);
    json tool{{"additional_arguments", true},
              {"system_event_endpoint", "exec:" + program.string() + " " + folder_.write("here", "").parent_path().string()}};
    tool.update(more);
    return tool;
  }

  [[nodiscard]] Words command(const Words& words) const {
    Words all{
        "/usr/bin/env", "-u", "CATENA_CONFIG", "-u", "CATENA_TOOLS", "-u", "XDG_CONFIG_HOME", "HOME=" + path("home"), "CATENA_DATA_DIR=" + data(),
        CATENA_BINARY};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
  [[nodiscard]] Process start(const Words& words) const { return Process{command(words), folder_ / "started-out", folder_ / "started-error"}; }
  [[nodiscard]] Outcome run(const Words& words) const { return wait_for(command(words)); }
  /// A line of shell in which "$@" is catena with `words`.
  [[nodiscard]] Outcome shell(const std::string& line, const Words& words) const {
    Words all{"/bin/sh", "-c", line, "sh"};
    for (auto& word : command(words)) all.push_back(std::move(word));
    return wait_for(std::move(all));
  }

 private:
  [[nodiscard]] Outcome wait_for(Words words) const {
    Process process{std::move(words), folder_ / "out", folder_ / "error"};
    const auto code = process.wait();
    return {code, system_test::read_text(folder_ / "out"), system_test::read_text(folder_ / "error")};
  }

  Folder folder_;
};

inline json builtin(const std::string& name) { return {{"additional_arguments", true}, {"system_event_endpoint", "builtin:" + name}}; }

inline json step(const std::string& id, const json& tool, const json& more = json::object()) {
  json step{{"execution_id", id}, {"tool_definition", tool}};
  step.update(more);
  return step;
}

inline json definition(const std::vector<json>& steps, const json& more = json::object()) {
  json all{{"instructions", steps}};
  all.update(more);
  return all;
}

/// Greets by `name` (required) as often as `times` (an integer, 1 by default): what tests of arguments run.
inline json greeting() {
  return definition(
      {step("say", builtin("echo"), {{"arguments", {{"text", "REF:arguments.name"}, {"times", "REF:arguments.times"}}}})},
      {{"name", "greeting"},
       {"arguments",
        {{{"name", "name"}, {"type_name", "string"}, {"required", true}}, {{"name", "times"}, {"type_name", "integer"}, {"default_value", 1}}}},
       {"response_reference_map", {{"text", "REF:say.text"}, {"times", "REF:say.times"}}}});
}

}  // namespace cli_test
