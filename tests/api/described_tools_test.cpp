// Tools that programs in the roots of a coordinator describe, named in definitions that come over HTTP.
#include <filesystem>

#include "tests/api/server.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

/// Describes `square`, answers calls of it, and leaves a mark beside itself when it is started.
constexpr const char* kSquares =
    "#!/bin/sh\n"
    "touch \"$(dirname \"$0\")/started\"\n"
    "while read -r line; do\n"
    "  case $line in\n"
    "    *describe*) echo "
    "'{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"tools\":[{\"name\":\"square\",\"arguments\":[{\"name\":\"n\",\"type_name\":\"integer\"}]}]}}' ;;\n"
    "    *) echo \"$line\" | sed -E 's/.*\"id\":([0-9]+).*\"tool\":\"([a-z]+)\".*/{\"jsonrpc\":\"2.0\",\"id\":\\1,\"result\":{\"called\":\"\\2\"}}/' "
    ";;\n"
    "  esac\n"
    "done\n";

std::string calling(const std::string& path) {
  return Json{{"definition",
               {{"instructions", {{{"execution_id", "a"}, {"tool_definition_path", path}, {"arguments", {{"n", 5}}}}}},
                {"response_reference_map", {{"called", "REF:a.called"}}}}}}
      .dump();
}

}  // namespace

TEST_CASE("a definition over HTTP calls a tool that a program in a root of the coordinator describes, and starts no other program") {
  const Folder folder;
  for (const auto* place : {"tools", "elsewhere", "config/catena"}) std::filesystem::create_directories(folder / place);
  folder.write("tools/squares", kSquares, true);
  folder.write("elsewhere/squares", kSquares, true);
  std::filesystem::create_symlink(folder / "elsewhere/squares", folder / "tools/link");
  folder.write("config/catena/catena.yaml", fmt::format("tools:\n  roots: '{}'\n", (folder / "tools").string()));
  const Server server{folder};
  const auto done = server.ask("POST", "/v1/chains?wait=30", calling("/squares#square"));
  INFO(done.body);
  CHECK(done.status == 200);
  CHECK(done.json()["response"]["called"] == "square");
  CHECK(server.ask("POST", "/v1/chains?validate_only=true", calling("/squares#sqare")).body.find("did you mean 'square'?") != std::string::npos);
  const auto outside = (folder / "elsewhere/squares").string() + "#square";
  for (const auto& path : {outside, std::string{"../elsewhere/squares#square"}, std::string{"/link#square"}}) {
    const auto refused = server.ask("POST", "/v1/chains", calling(path));
    INFO(refused.body);
    CHECK(refused.status == 422);
  }
  const auto own = Json{{"definition", {{"additional_arguments", true}, {"system_event_endpoint", "serve:" + outside}}}}.dump();
  CHECK(server.ask("POST", "/v1/chains", own).body.find("program_not_found") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "elsewhere/started"));
  CHECK(std::filesystem::exists(folder / "tools/started"));
}

}  // namespace catena::api::test
