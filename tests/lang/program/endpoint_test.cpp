#include "lang/program/endpoint.hpp"

#include <catch2/catch.hpp>

#include "lang/program/endpoint_map.hpp"
#include "tests/lang/memory_finder.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

Endpoint parsed(std::string_view text) {
  auto endpoint = parse_endpoint(text, {});
  if (!endpoint) FAIL(text << ": " << endpoint.error().message);
  return std::move(*endpoint);
}

Error endpoint_refused(std::string_view text) {
  auto endpoint = parse_endpoint(text, {"/x.tool", 3, 4});
  if (endpoint) FAIL(text << " is taken");
  CHECK(endpoint.error().where == Place{"/x.tool", 3, 4});
  return endpoint.error();
}

EndpointMap map(const std::map<std::string, std::string>& rows) {
  auto made = EndpointMap::make(rows);
  if (!made) FAIL(made.error().message);
  return std::move(*made);
}

std::string map_error(const std::map<std::string, std::string>& rows) {
  const auto made = EndpointMap::make(rows);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == Code::field_value);
  return made.error().message;
}

std::string calling(const std::string& endpoint) { return Json{{"additional_arguments", true}, {"system_event_endpoint", endpoint}}.dump(); }

tl::expected<Package, Diagnostics> load_calling(const std::string& endpoint, const Catalog& catalog) {
  MemoryFinder finder;
  finder.add("/a.tool", calling(endpoint));
  finder.add_program("run.sh", "/opt/run.sh");
  return load_package("/a.tool", finder, catalog);
}

Endpoint endpoint_in(const Package& package) { return std::get<ToolCall>(package.main().steps.front().call).endpoint; }

Catalog catalog_with(const std::map<std::string, std::string>& rows) { return {{"echo"}, {}, map(rows)}; }

}  // namespace

TEST_CASE("every kind of endpoint is read", "[endpoint]") {
  CHECK(parsed("builtin:echo") == Endpoint{"builtin", "echo", {}});
  CHECK(parsed(" exec: run.sh 'a b' c") == Endpoint{"exec", "run.sh", {"a b", "c"}});
  CHECK(parsed("serve:/opt/tool --fast") == Endpoint{"serve", "/opt/tool", {"--fast"}});
  CHECK(parsed("http://localhost:8080/a?b=c") == Endpoint{"http", "//localhost:8080/a?b=c", {}});
  CHECK(parsed("https://tools.example") == Endpoint{"https", "//tools.example", {}});
  CHECK(parsed("http://[::1]:80/") == Endpoint{"http", "//[::1]:80/", {}});
  CHECK(parsed("remote:gpu-8.large_1") == Endpoint{"remote", "gpu-8.large_1", {}});
}

TEST_CASE("an endpoint is shown as it would be written", "[endpoint]") {
  for (const auto* text : {"builtin:echo", "exec:run.sh 'a b' c '' \"it's\"", "serve:tool", "https://tools.example/x", "remote:gpu"}) {
    CHECK(endpoint_text(parsed(text)) == text);
    CHECK(parsed(endpoint_text(parsed(text))) == parsed(text));
  }
}

TEST_CASE("a malformed endpoint says what is wrong with it", "[endpoint]") {
  CHECK_THAT(endpoint_refused("echo").message, Contains("'echo' is not an endpoint; write builtin:<name>, exec:"));
  CHECK(endpoint_refused("serve:").message == "'serve:' names no program; write serve:<program> [args…]");
  CHECK(endpoint_refused("serve:'x").message == "'serve:'x' has a quote that is not closed");
  CHECK(endpoint_refused("remote:").message == "'remote:' names no capability; write remote:<capability>");
  CHECK(endpoint_refused("remote:a b").message == "the capability of 'remote:a b' must be made of letters, digits, '_', '.' and '-'");
  CHECK(endpoint_refused("http:x").message == "the endpoint 'http:x' must go on with '//' and a host; write http://host[:port]/path");
  CHECK_THAT(endpoint_refused("http:///x").message, Contains("has no host"));
  CHECK_THAT(endpoint_refused("http://:80/x").message, Contains("has no host"));
  CHECK_THAT(endpoint_refused("https://a b/").message, Contains("has a space"));
  CHECK_THAT(endpoint_refused("https://tööls.example/").message, Contains("another character that no address has"));
  for (const auto* port : {"", "0", "65536", "80a", "-1", "100000000000000000000"})
    CHECK_THAT(endpoint_refused(std::string{"http://h:"} + port + "/").message, Contains("from 1 to 65535"));
  CHECK_THAT(endpoint_refused("http://[::1/").message, Contains("'[' that is not closed"));
  CHECK_THAT(endpoint_refused("http://[::1]x/").message, Contains("port"));
  CHECK(endpoint_refused("mcp:server/tool").code == Code::feature_unavailable);
  CHECK(endpoint_refused("biultin:echo").code == Code::endpoint_unknown);
  CHECK(endpoint_refused("ratio::x").code == Code::endpoint_unmapped);
}

TEST_CASE("credentials in an address are refused and not shown", "[endpoint]") {
  const auto error = endpoint_refused("https://user:pa55word@tools.example/");
  CHECK(error.code == Code::endpoint_unknown);
  CHECK_THAT(error.message, Contains("must hold no credentials") && !Contains("pa55word"));
  CHECK(parsed("https://tools.example/@user").target == "//tools.example/@user");
}

TEST_CASE("the longest row of the table of endpoints wins, an exact one over all", "[endpoint]") {
  const auto table =
      map({{"ratio::*", "http://a/{name}"}, {"ratio::llm_*", "http://b/{name}/{name}"}, {"ratio::llm_x", "builtin:echo"}, {"plain:x", "remote:gpu"}});
  CHECK(table.find("ratio::y") == MappedEndpoint{"http://a/{name}", "y"});
  CHECK(table.find("ratio::") == MappedEndpoint{"http://a/{name}", ""});
  CHECK(table.find("ratio::llm_y") == MappedEndpoint{"http://b/{name}/{name}", "y"});
  CHECK(table.find("ratio::llm_x") == MappedEndpoint{"builtin:echo", ""});
  CHECK_FALSE(table.find("ratio:y"));
  CHECK_FALSE(table.find("plain:xy"));
  CHECK(table.keys() == std::vector<std::string>{"plain:x", "ratio::llm_x", "ratio::*", "ratio::llm_*"});
  CHECK(resolve(*table.find("ratio::llm_y"), {}) == Endpoint{"http", "//b/y/y", {}});
}

TEST_CASE("a row that could never work is refused", "[endpoint]") {
  CHECK(map_error({{"builtin:echo", "builtin:sleep"}}) == "'builtin:echo' is an endpoint of catena's own, which is never mapped");
  CHECK(map_error({{"a*b:c", "builtin:echo"}}) == "'a*b:c' may have one '*', at its end");
  CHECK(map_error({{"a:**", "builtin:echo"}}) == "'a:**' may have one '*', at its end");
  CHECK(map_error({{"plain", "builtin:echo"}}) == "'plain' is not the form of an endpoint, which has a ':'");
  CHECK(map_error({{"a:b", "http://h/{name}"}}) == "'a:b' is mapped to 'http://h/{name}', but '{name}' is what a '*' at the key's end stands for");
  CHECK_THAT(map_error({{"a:b", "ratio::x"}}), Contains("'a:b' is mapped to 'ratio::x': nothing executes endpoints of the form"));
  CHECK_THAT(map_error({{"a:*", "http://h/{nam}"}}), Contains("character that no address has"));
}

TEST_CASE("a name is filled in word by word: it cannot become further arguments of a program", "[endpoint]") {
  CHECK(resolve({"exec:run.sh --tool {name} x{name}", "a b 'c"}, {}) == Endpoint{"exec", "run.sh", {"--tool", "a b 'c", "xa b 'c"}});
  CHECK_FALSE(resolve({"http://h/{name}", "a b"}, {}));
  CHECK_FALSE(resolve({"remote:{name}", ""}, {}));
}

TEST_CASE("a mapped endpoint runs as what it is mapped to, and the package says so", "[endpoint]") {
  const auto package = load_calling("ratio::text", catalog_with({{"ratio::*", "https://tools.example/{name}"}}));
  REQUIRE(package);
  CHECK(endpoint_in(*package) == Endpoint{"https", "//tools.example/text", {}});
  CHECK(package->mapped == std::map<std::string, MappedEndpoint>{{"ratio::text", {"https://tools.example/{name}", "text"}}});
  const auto program = load_calling("ratio::run", catalog_with({{"ratio::*", "serve:{name}.sh -x"}}));
  REQUIRE(program);
  CHECK(endpoint_text(endpoint_in(*program)) == "serve:/opt/run.sh -x");
}

TEST_CASE("an endpoint that nothing is mapped to is found at validation, with the nearest key and how to map it", "[endpoint]") {
  const auto package = load_calling("ratio::bedrock_txt", catalog_with({{"ratio::bedrock_text", "builtin:echo"}}));
  REQUIRE_FALSE(package);
  REQUIRE(package.error().size() == 1);
  const auto& error = package.error().front();
  CHECK(error.code == Code::endpoint_unmapped);
  CHECK(error.message == "the configuration maps the endpoint 'ratio::bedrock_txt' to nothing; did you mean 'ratio::bedrock_text'?");
  CHECK(error.where.file == "/a.tool");
  CHECK(error.where.line == 1);
  REQUIRE(error.notes.size() == 1);
  CHECK_THAT(error.notes.front(), Contains("endpoints:") && Contains("\"ratio::bedrock_txt\": \"http://"));
  const auto builtin = load_calling("ratio::x", catalog_with({{"ratio::*", "builtin:ehco"}}));
  REQUIRE_FALSE(builtin);
  CHECK(builtin.error().front().code == Code::builtin_unknown);
}

TEST_CASE("what was mapped is pinned: the configuration of later changes nothing", "[endpoint]") {
  const auto package = load_calling("ratio::text", catalog_with({{"ratio::*", "https://tools.example/{name}"}}));
  REQUIRE(package);
  for (const auto& later : {catalog_with({}), catalog_with({{"ratio::text", "builtin:echo"}})}) {
    const auto again = from_manifest(package->manifest, later);
    if (!again) FAIL(again.error().message);
    CHECK(endpoint_in(*again) == Endpoint{"https", "//tools.example/text", {}});
    CHECK(again->hash == package->hash);
  }
  const auto other = load_calling("ratio::text", catalog_with({{"ratio::*", "https://elsewhere.example/{name}"}}));
  CHECK(other->hash != package->hash);
}

TEST_CASE("a manifest without mapped endpoints has no table of them, and a damaged table is an error", "[endpoint]") {
  const auto plain = load_calling("builtin:echo", catalog_with({{"ratio::*", "https://tools.example/{name}"}}));
  REQUIRE(plain);
  CHECK_FALSE(Json::parse(plain->manifest).contains("endpoints"));
  auto manifest = Json::parse(load_calling("ratio::text", catalog_with({{"ratio::*", "http://h/{name}"}}))->manifest);
  for (const auto& damaged : {Json(5), Json{{"ratio::text", "x"}}, Json{{"ratio::text", {{"to", "builtin:echo"}}}}}) {
    manifest["endpoints"] = damaged;
    const auto read = from_manifest(manifest.dump(), kCatalog);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Code::storage_corrupt);
  }
  manifest.erase("endpoints");
  CHECK(from_manifest(manifest.dump(), catalog_with({{"ratio::*", "http://h/{name}"}})).error().code == Code::endpoint_unmapped);
}

TEST_CASE("a capability that nobody here announces is a warning, and the step needs it", "[endpoint]") {
  const auto unknown = load_calling("remote:gpu", {{}, {"cpu", "disk"}, {}});
  REQUIRE(unknown);
  REQUIRE(unknown->warnings.size() == 1);
  CHECK(unknown->warnings.front().code == Code::capability_unknown);
  CHECK(unknown->warnings.front().message == "no worker here announces the capability 'gpu'; announced are: cpu, disk");
  CHECK(unknown->main().steps.front().needs == std::vector<std::string>{"gpu"});
  const auto none = load_calling("remote:gpu", {{}, {}, {}});
  CHECK(none->warnings.front().message == "no worker here announces the capability 'gpu'; worker.capabilities of the configuration announces none");
  const auto known = load_calling("remote:gpu", {{}, {"gpu"}, {}});
  CHECK(known->warnings.empty());
}

}  // namespace catena::lang::test
