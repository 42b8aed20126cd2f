#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "config/settings.hpp"

using namespace catena;
using namespace catena::config;

namespace {

class Folder {
 public:
  Folder() : path_{std::filesystem::temp_directory_path() / ("catena-config-" + std::to_string(::getpid()))} {
    std::filesystem::create_directories(path_);
  }
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
  for (const auto* text : {"worker:\n  slots: many\n", "storage:\n  durability: maybe\n", "chains:\n  children_at_a_time: 0\n",
                           "worker:\n  slots: -1\n", "storage:\n  accept_rewound: perhaps\n"}) {
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
  CHECK(load(folder.write("storage: " + std::string(20'000, '[')), with({})).error().code == Code::nesting_too_deep);
  CHECK(load(folder.write("# " + std::string(5'000'000, 'x')), with({})).error().code == Code::document_too_large);
  CHECK(load("/does/not/exist.yaml", with({})).error().code == Code::file_unreadable);
  CHECK(load("/proc", with({})).error().code == Code::file_unreadable);
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
  const auto file = folder.write(
      "endpoints:\n  \"ratio::a.b\": builtin:echo\n  \"ratio::*\": \"https://tools.example/{name}\"\nworker:\n  capabilities: {gpu: "
      "exec:run}\n");
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
  const auto loaded = load(
      folder.write("endpoints:\n  \"a: 'b' \\\"c\\\" #\": \"d: {e} é\"\nworker:\n  capabilities: {x: \"y z\"}\nhttp:\n  allow_link_local: true\n"),
      with({}));
  REQUIRE(loaded);
  CHECK(loaded->settings.http_allow_link_local);
  const auto again = load(folder.write(show(*loaded)), with({}));
  if (!again) FAIL(render(again.error()));
  CHECK(again->settings.endpoints == loaded->settings.endpoints);
  CHECK(again->settings.capabilities == loaded->settings.capabilities);
}

TEST_CASE("the settings of a cluster are read, labels as a table") {
  const Folder folder;
  const auto loaded = load(folder.write("cluster:\n  address: head.example:7420\n  token_file: /run/token\n  ca_file: /c/ca.pem\n"
                                        "  certificate_file: /c/w.pem\n  key_file: /c/w.key\n  lease: 9000\n  heartbeat: 3000\n"
                                        "worker:\n  name: w1\n  labels: {zone: north, gpu: \"\"}\n  drain_timeout: 0\n  redial_max: 300\n  run_as: "
                                        "tools\nprocess:\n  inspectable: true\n"
                                        "coordinator:\n  listen: \"[::]:0\"\nlimits:\n  connections: 10\nchains:\n  order_target: 5\n"),
                           with({{"CATENA_CLUSTER__INSECURE_LINK", "true"}}));
  if (!loaded) FAIL(render(loaded.error()));
  const auto& settings = loaded->settings;
  CHECK(settings.cluster_address == "head.example:7420");
  CHECK(settings.cluster_token_file == "/run/token");
  CHECK(settings.has_tls());
  CHECK(settings.cluster_lease_ms == 9000);
  CHECK(settings.adopt_ms() == 18000);
  CHECK(settings.worker_name == "w1");
  CHECK(settings.worker_labels == Table{{"gpu", ""}, {"zone", "north"}});
  CHECK(settings.worker_drain_timeout_ms == 0);
  CHECK(settings.worker_redial_max_ms == 300);
  CHECK(settings.worker_run_as == "tools");
  CHECK(settings.process_inspectable);
  CHECK(settings.coordinator_listen == "[::]:0");
  CHECK(settings.limits_connections == 10);
  CHECK(settings.order_target_ms == 5);
  CHECK(settings.cluster_insecure_link);
  CHECK(load(folder.write("cluster:\n  adopt: 7\n"), with({}))->settings.adopt_ms() == 7);
}

TEST_CASE("an address without a port, or with one that is none, is refused") {
  const Folder folder;
  for (const auto* address :
       {"head", ":7420", "head:", "head:0", "head:65536", "head:7420x", "::1:7420", "[]:7420", "a b:1", "http://head:1", "head:-1"}) {
    CAPTURE(address);
    const auto loaded = load(folder.write(std::string{"cluster:\n  address: \""} + address + "\"\n"), with({}));
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == Code::field_value);
  }
  for (const auto* address : {"", "head:1", "10.0.0.1:65535", "[::1]:7420"}) {
    CAPTURE(address);
    CHECK(load(folder.write(std::string{"cluster:\n  address: \""} + address + "\"\n"), with({})));
  }
  CHECK_FALSE(load(folder.write("coordinator:\n  listen: \"\"\n"), with({})));
}

TEST_CASE("spans of time are written with a unit; a number alone counts milliseconds") {
  const Folder folder;
  CHECK(load(folder.write("cluster:\n  lease: 1m\n  heartbeat: 1.5s\n"), with({}))->settings.cluster_lease_ms == 60'000);
  CHECK(load(folder.write("worker:\n  redial_max: 250ms\n"), with({}))->settings.worker_redial_max_ms == 250);
  CHECK(load(folder.write("worker:\n  redial_max: 250\n"), with({{"CATENA_CHAINS__SLEEP_AFTER", "2m"}}))->settings.sleep_after_ms == 120'000);
  for (const auto* wrong : {"5 s", "soon", "99ms", "-1s", "1y", "2000d"}) {
    const auto refused = load(folder.write(std::string{"worker:\n  redial_max: "} + wrong + "\n"), with({}));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message ==
          fmt::format("option 'worker.redial_max': '{}' is no duration of 100ms or more; write one such as 250ms, 5s, 2m or 1h", wrong));
  }
}

TEST_CASE("variables that nothing reads are named with the nearest that is read") {
  const std::vector<std::string> names{"CATENA_CLUSTER__ADRESS", "CATENA_TOOLS", "PATH", "CATENA_CLUSTER__ADDRESS", "CATENA_MINE", "CATENA_MY__OWN"};
  const auto warnings = unknown_variables(names);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].message ==
        "nothing reads the environment variable 'CATENA_CLUSTER__ADRESS'; did you mean 'CATENA_CLUSTER__ADDRESS'?; `catena config` names those of "
        "the settings");
  CHECK(warnings[1].message.find("'CATENA_MY__OWN'; `catena config`") != std::string::npos);
}

TEST_CASE("a lease shorter than three heartbeats is refused, wherever the two are said") {
  const Folder folder;
  const auto error = [&](const std::string& text, std::map<std::string, std::string> variables) {
    return load(folder.write(text), with(std::move(variables))).error();
  };
  CHECK(error("cluster:\n  lease: 2999\n", {}).message == "option 'cluster.lease': a lease (2999ms) must last three heartbeats (1s) at least");
  CHECK(error("cluster:\n  heartbeat: 2000\n", {}).message.find("option 'cluster.heartbeat': a lease (5s)") == 0);
  CHECK(error("cluster:\n  lease: 6000\n", {{"CATENA_CLUSTER__HEARTBEAT", "2001"}}).code == Code::field_value);
  CHECK(load(folder.write("cluster:\n  lease: 3000\n"), with({})));
  CHECK(load(folder.write("cluster:\n  lease: 6000\n  heartbeat: 2000\n"), with({})));
}

TEST_CASE("of the three TLS files all are named or none") {
  const Folder folder;
  const auto error = load(folder.write("cluster:\n  ca_file: /ca.pem\n  key_file: /key.pem\n"), with({})).error();
  CHECK(error.code == Code::field_value);
  CHECK(error.message.find("option 'cluster.certificate_file'") == 0);
}

TEST_CASE("the bound of the program cache may be more than 32 bits hold") {
  const Folder folder;
  CHECK(Settings{}.worker_cache_bytes == 4ULL << 30U);
  const auto loaded = load(folder.write("worker:\n  cache_bytes: \"12345678901\"\n"), with({}));
  if (!loaded) FAIL(render(loaded.error()));
  CHECK(loaded->settings.worker_cache_bytes == 12'345'678'901ULL);
  CHECK_FALSE(load(folder.write("worker:\n  cache_bytes: \"-1\"\n"), with({})));
}

TEST_CASE("the example has every option, and is read as the defaults") {
  const Folder folder;
  const auto loaded = load(folder.write(example()), with({}));
  if (!loaded) FAIL(render(loaded.error()));
  for (const auto& option : options()) {
    CAPTURE(option.name());
    CHECK(loaded->origin.contains(option.name()) != (option.name() == "endpoints"));  // an empty section sets nothing
    CHECK(option.show(loaded->settings) == option.show(Settings{}));
    CHECK(example().find(option.variable()) != std::string::npos);
  }
}

TEST_CASE("settings that are read again: live options are taken over, the others wait for a start and are named") {
  const Folder folder;
  const auto running = load(folder.write("cluster:\n  token_file: /old\nworker:\n  slots: 3\n"), with({}));
  const auto changed = load(folder.write("cluster:\n  token_file: /new\nworker:\n  slots: 4\n"), with({}));
  REQUIRE(running);
  REQUIRE(changed);
  const auto reloaded = reload(*running, *changed);
  CHECK(reloaded.loaded.settings.cluster_token_file == "/new");
  CHECK(reloaded.loaded.settings.slots == 3);
  CHECK(reloaded.changed == std::vector<std::string>{"cluster.token_file"});
  CHECK(reloaded.waiting == std::vector<std::string>{"worker.slots"});
  const auto removed = reload(*running, *load(folder.write("worker:\n  slots: 3\n"), with({})));
  CHECK(removed.loaded.settings.cluster_token_file.empty());
  CHECK_FALSE(removed.loaded.origin.contains("cluster.token_file"));
  CHECK(removed.waiting.empty());
  const auto same = reload(*running, *running);
  CHECK(same.changed.empty());
  CHECK(same.waiting.empty());
}

TEST_CASE("an option that is taken over while the process runs has a plain value") {
  for (const auto& option : options()) {
    CAPTURE(option.name());
    CHECK_FALSE((option.live && option.table != nullptr));
  }
}

TEST_CASE("options of an issuer of tokens come together, and keys come over https") {
  const Folder folder;
  const std::string right = "oidc:\n  issuer: https://id.example.org\n  audience: catena\n  roles: {ops: operator}\n";
  const auto and_also = [&](const std::string& more) { return load(folder.write(right + more), with({})); };
  REQUIRE(and_also(""));
  CHECK(and_also("")->settings.oidc_claim == "groups");
  CHECK(and_also("  jwks_url: https://keys.example.org/all\n"));
  CHECK(and_also("  jwks_url: http://127.0.0.1:8080/all\n"));
  CHECK(and_also("  clock_skew: 5m\n")->settings.oidc_clock_skew_ms == 300'000);
  for (const std::string wrong : {"  jwks_url: http://keys.example.org/all\n", "  jwks_url: http://127.0.0.1.example.org/all\n",
                                  "  jwks_url: http://localhost@example.org/\n", "  jwks_url: ftp://keys.example.org\n", "  jwks_url: https:///all\n",
                                  "  jwks_url: https://a.example\n  jwks_file: /keys\n", "  claim: ''\n", "  clock_skew: 6m\n"}) {
    CAPTURE(wrong);
    const auto loaded = and_also(wrong);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().message.find("oidc.") != std::string::npos);
  }
  for (const std::string wrong :
       {"oidc: {audience: catena}\n", "oidc: {issuer: 'https://a.example', roles: {ops: viewer}}\n",
        "oidc: {issuer: 'https://a.example', audience: catena}\n", "oidc: {issuer: 'http://a.example', audience: catena, roles: {ops: viewer}}\n"}) {
    CAPTURE(wrong);
    CHECK_FALSE(load(folder.write(wrong), with({})));
  }
  CHECK(load(folder.write("oidc: {issuer: 'http://a.example', audience: catena, jwks_file: /keys, roles: {ops: viewer}}\n"), with({})));
}
