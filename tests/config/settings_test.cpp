#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "config/settings.hpp"

using namespace catena;
using namespace catena::config;

namespace {

class Folder {
 public:
  Folder() : path_{std::filesystem::temp_directory_path() / ("catena-config-" + std::to_string(::getpid()))} { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& text) const {
    const auto file = path_ / "catena.yaml";
    std::ofstream{file} << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

Environment with(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional{found->second};
  };
}

}  // namespace

TEST_CASE("the environment wins over the file, the file over the default") {
  const Folder folder;
  const auto file = folder.write("storage:\n  durability: async\n  data_dir: /from/file\nworker:\n  slots: 3\n");
  const auto loaded = load(file, with({{"CATENA_STORAGE__DATA_DIR", "/from/environment"}}));
  REQUIRE(loaded);
  CHECK(loaded->settings.durability == "async");
  CHECK(loaded->settings.data_dir == "/from/environment");
  CHECK(loaded->settings.slots == 3);
  CHECK(loaded->settings.children_at_a_time == 32);
  CHECK(loaded->origin.at("storage.data_dir") == "CATENA_STORAGE__DATA_DIR");
  CHECK(loaded->origin.at("worker.slots") == file);
}

TEST_CASE("an unknown option is an error that names the nearest one and its place") {
  const Folder folder;
  const auto loaded = load(folder.write("storage:\n  durabilty: sync\n"), with({}));
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().code == Code::field_unknown);
  CHECK(loaded.error().message.find("did you mean 'storage.durability'") != std::string::npos);
  CHECK(loaded.error().where.line == 2);
}

TEST_CASE("a value that does not fit is refused with what is expected") {
  const Folder folder;
  for (const auto* text : {"worker:\n  slots: many\n", "storage:\n  durability: maybe\n", "chains:\n  children_at_a_time: 0\n", "worker:\n  slots: -1\n",
                           "storage:\n  accept_rewound: perhaps\n"}) {
    CAPTURE(text);
    const auto loaded = load(folder.write(text), with({}));
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == Code::field_value);
  }
}

TEST_CASE("a file that is no configuration is refused, never half read") {
  const Folder folder;
  CHECK(load(folder.write("[1, 2]"), with({})).error().code == Code::field_type);
  CHECK(load(folder.write("storage: 3"), with({})).error().code == Code::field_type);
  CHECK(load(folder.write("storage:\n  data_dir: {a: b}\n"), with({})).error().code == Code::field_type);
  CHECK(load(folder.write("storage: [\n"), with({})).error().code == Code::yaml_syntax);
  CHECK(load("/does/not/exist.yaml", with({})).error().code == Code::file_unreadable);
}

TEST_CASE("lists are written as lists or with colons") {
  const Folder folder;
  CHECK(load(folder.write("tools:\n  roots: [/a, /b]\n"), with({}))->settings.roots == std::vector<std::string>{"/a", "/b"});
  CHECK(load(folder.write("tools:\n  roots: /a:/b\n"), with({}))->settings.roots == std::vector<std::string>{"/a", "/b"});
}

TEST_CASE("what show prints is read back as the same settings") {
  const Folder folder;
  const auto loaded = load(folder.write("storage:\n  durability: none\ntools:\n  roots: [/a]\n"), with({}));
  REQUIRE(loaded);
  const auto again = load(folder.write(show(*loaded)), with({}));
  REQUIRE(again);
  for (const auto& option : options()) {
    CAPTURE(option.name());
    CHECK(option.show(again->settings) == option.show(loaded->settings));
  }
}

TEST_CASE("a table is read from a section, an option or a JSON variable") {
  const Folder folder;
  const auto file = folder.write("endpoints:\n  \"ratio::a.b\": builtin:echo\n  \"ratio::*\": \"https://tools.example/{name}\"\nworker:\n  capabilities: {gpu: exec:run}\n");
  const auto loaded = load(file, with({}));
  if (!loaded) FAIL(render(loaded.error()));
  CHECK(loaded->settings.endpoints == Table{{"ratio::a.b", "builtin:echo"}, {"ratio::*", "https://tools.example/{name}"}});
  CHECK(loaded->settings.capabilities == Table{{"gpu", "exec:run"}});
  CHECK(loaded->origin.at("endpoints") == file);
  const auto replaced = load(file, with({{"CATENA_ENDPOINTS", R"({"x:y": "builtin:sleep"})"}, {"CATENA_WORKER__CAPABILITIES", "{}"}}));
  REQUIRE(replaced);
  CHECK(replaced->settings.endpoints == Table{{"x:y", "builtin:sleep"}});
  CHECK(replaced->settings.capabilities.empty());
  CHECK(replaced->origin.at("endpoints") == "CATENA_ENDPOINTS");
}

TEST_CASE("what is no table is refused where a table stands, and the other way round") {
  const Folder folder;
  const auto error = [&](const std::string& text) { return load(folder.write(text), with({})).error(); };
  CHECK(error("worker:\n  capabilities: gpu\n").code == Code::field_type);
  CHECK(error("worker:\n  slots: {a: b}\n").message == "option 'worker.slots': must be a plain value or a list of them");
  CHECK(error("endpoints:\n  a:\n    b: c\n").message == "option 'endpoints': 'a' must have one plain value");
  CHECK(error("endpoints:\n  a: [b, c]\n").code == Code::field_type);
  CHECK(error("worker:\n  capabilities: {a: [b]}\n").code == Code::field_type);
  CHECK(error("endpoints:\n  a: b\n  a: c\n").message == "option 'endpoints': 'a' is there twice");
  CHECK(error("endpoint:\n  a: b\n").message.find("there is no option 'endpoint.a'") == 0);
  for (const auto* value : {"[]", "{\"a\": 1}", "a: b"}) {
    CHECK(load(folder.write(""), with({{"CATENA_ENDPOINTS", value}})).error().code == Code::field_type);
  }
}

TEST_CASE("tables that are shown are read back") {
  const Folder folder;
  const auto loaded = load(folder.write("endpoints:\n  \"a: 'b' \\\"c\\\" #\": \"d: {e} é\"\nworker:\n  capabilities: {x: \"y z\"}\nhttp:\n  allow_link_local: true\n"), with({}));
  REQUIRE(loaded);
  CHECK(loaded->settings.http_allow_link_local);
  const auto again = load(folder.write(show(*loaded)), with({}));
  if (!again) FAIL(render(again.error()));
  CHECK(again->settings.endpoints == loaded->settings.endpoints);
  CHECK(again->settings.capabilities == loaded->settings.capabilities);
}
