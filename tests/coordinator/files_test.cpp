// Steps whose expressions read files: who evaluates them, how often, and what is left in the history.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

std::string transforms(const std::string& which, const std::string& results) { return '"' + which + R"(": {"transforms": {)" + results + "}}"; }

std::vector<std::string> warnings(const Fixture& f, const std::string& chain = "c") {
  std::vector<std::string> found;
  for (const auto& event : f.history(chain)) {
    if (const auto* warned = std::get_if<engine::Warned>(&event)) found.push_back(warned->message);
  }
  return found;
}

}  // namespace

TEST_CASE("warnings of evaluation stand in the history, each once however many items cause it") {
  Fixture f;
  for (int file = 0; file < 60; ++file) f.files.content["/d/" + std::to_string(file)] = "x";
  const auto package = pin(composite({step("a", over(40) + ", " + transforms("transform_arguments", R"~("n": "length(list_files('/d')) + i")~"))}));
  CHECK(f.complete(package).status == ChainStatus::succeeded);
  REQUIRE(warnings(f).size() == 1);
  CHECK(warnings(f).front().find("truncated") != std::string::npos);
  CHECK(arguments_of(f, "c/a/39")["n"] == 89);
  const auto plain = pin(composite({step("a", transforms("transform_responses", R"~("n": "length(list_files('/d'))")~"))}));
  CHECK(f.complete(plain, "d").status == ChainStatus::succeeded);
  CHECK(warnings(f, "d").size() == 1);
  const auto list = pin(composite({step("a", each("[1]") + ", " + transforms("transform_responses", R"~("n": "length(list_files('/d'))")~"))}));
  CHECK(f.complete(list, "e").status == ChainStatus::succeeded);
  CHECK(warnings(f, "e").size() == 1);
}

TEST_CASE("a step that reads files is evaluated when it is durable that it may, and once, though the chain is paused meanwhile") {
  Fixture f;
  f.files.content["/a.txt"] = "first";
  const auto package =
      pin(composite({step("a", each("[1, 2, 3]") + ", " + transforms("transform_arguments", R"~("text": "if(i, read_file('/a.txt'), '')")~"))}));
  f.gate.shut = true;
  f.submit(package);
  f.run();
  CHECK(f.files.reads == 0);
  f.pass_one_commit();
  while (f.files.reads == 0) REQUIRE(f.run_messages(1) == 1);
  f.control("c", engine::Pause{});
  f.control("c", engine::Unpause{});
  f.run();
  f.files.content["/a.txt"] = "second";
  f.open_gate();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.files.reads == 3);
  for (const auto* key : {"c/a/0", "c/a/1", "c/a/2"}) CHECK(arguments_of(f, key)["text"] == "first");
}

TEST_CASE("what was read before a crash is not read again, and what was not durable is") {
  for (std::size_t messages = 1;; ++messages) {
    CAPTURE(messages);
    Fixture f;
    f.files.content["/a.txt"] = "first";
    const auto package = pin(composite({step("a", transforms("transform_arguments", R"~("text": "read_file('/a.txt')")~"))}));
    f.submit(package);
    if (f.run_messages(messages) < messages) break;
    f.crash();
    const bool entered = f.exists() && f.count<engine::VisitEntered>() == 1;
    const bool exists = f.exists();
    const auto former = f.files.reads;
    f.files.content["/a.txt"] = "second";
    if (!exists) f.submit(package);
    if (exists && f.state().status != ChainStatus::succeeded) f.resume();
    f.await();
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(f.files.reads == (entered ? former : former + 1));
    CHECK(arguments_of(f, "c/a")["text"] == (entered ? "first" : "second"));
  }
}

TEST_CASE("outputs that read files are evaluated when all is durable; a bare reference stays a path and reads nothing") {
  const std::map<std::string, std::string> others{
      {"/made.tool", R"({"responses": [{"name": "out", "type_name": "file", "required": true}], "system_event_endpoint": "builtin:echo"})"}};
  const std::string typed = R"("responses": [{"name": "f", "type_name": "file"}, {"name": "size", "type_name": "integer"}], )";
  const auto chain = [&](const std::string& map) {
    return pin(composite({step("a", {}, "/made.tool")}, typed + R"("response_reference_map": )" + map), others);
  };
  Fixture f;
  f.script.otherwise = [](const auto&) { return answer(R"({"out": "/a.txt"})"); };
  f.files.content["/a.txt"] = "four";
  const auto bare = f.complete(chain(R"({"f": "REF:a.out"})"));
  REQUIRE(bare.status == ChainStatus::succeeded);
  CHECK(Json::parse(bare.response.text) == Json{{"f", "/a.txt"}});
  CHECK(f.files.reads == 0);
  const auto size = f.complete(chain(R"({"size": "REF:a.out.size"})"), "d");
  REQUIRE(size.status == ChainStatus::succeeded);
  CHECK(Json::parse(size.response.text) == Json{{"size", 4}});
}

TEST_CASE("a file that is not there fails the step that reads it") {
  Fixture f;
  const auto ended = f.complete(pin(composite({step("a", transforms("transform_arguments", R"~("text": "read_file('/none.txt')")~"))})));
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::file_not_found);
  CHECK(f.script.executions.empty());
}

}  // namespace catena::coordinator::test
