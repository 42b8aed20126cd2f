#pragma once
// A file of definition tests as a person wrote it: what a definition is given, what its tools answer, and what has to come of it.
// docs/testing-definitions.md tells the format.
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/index_set.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "lang/package/package.hpp"

namespace catena::cli {

/// What a tool answers once.
struct StubAnswer {
  Json response = Json::object();
  std::optional<Error> error;  // in place of the response
  Millis after{0};
};

/// What stands in for a tool: the first stub that fits an attempt plays it.
struct Stub {
  std::string tool;
  std::optional<std::string> step;  // only there: the execution id, or the key of one item
  std::optional<Json> arguments;    // only with these, whatever else is given
  std::vector<StubAnswer> answers;
  bool shared = false;    // with the other tests of the file
  bool in_order = false;  // each answer counts once; else the only one counts always
  catena::Place where;
};

/// What somebody sends to a chain that waits for it, now or later.
struct SentSignal {
  std::string name;
  Json data = Json::object();
  std::string chain;  // below the one that is tested: "outer/inner"; empty: that one
  Millis after{0};
};

/// What somebody answers when a step, or items of one, wait for approval.
struct GivenAnswer {
  std::string step;
  IndexSet items = {};  // of a fan-out
  bool approved = true;
  std::optional<Json> edit;
  std::string reason;
  std::string chain;  // below the one that is tested: "outer/inner"; empty: that one
  Millis after{0};
};

struct ExpectedError {
  std::optional<std::string> code;
  std::optional<std::string> message;  // a part of it
};

struct ExpectedTime {
  std::optional<Millis> at_least;
  std::optional<Millis> at_most;
};

struct Expectation {
  std::optional<std::string> status;
  std::optional<Json> response;
  std::optional<Json> contains;                  // of the response, whatever else is there
  std::vector<std::pair<std::string, Json>> at;  // of the response, by path
  std::optional<ExpectedError> error;
  std::map<std::string, std::uint32_t> executions;  // attempts by tool
  std::map<std::string, std::string> steps;         // what became of them
  std::map<std::string, Json> sent;                 // arguments of the last attempt by step, whatever else is there
  std::vector<std::string> warnings;                // parts of them
  std::map<std::string, std::string> files;         // contents, afterwards
  std::optional<ExpectedTime> elapsed;
};

struct DefinitionTest {
  std::string name;
  catena::Place where;
  std::string definition;  // a path
  Json arguments = Json::object();
  std::string context;  // JSON; empty: none
  std::map<std::string, std::string> files;
  std::vector<Stub> stubs;
  std::vector<SentSignal> signals;
  std::vector<GivenAnswer> approvals;
  Expectation expect;
};

/// All errors of the file at once, each with its place.
[[nodiscard]] tl::expected<std::vector<DefinitionTest>, lang::Diagnostics> read_definition_tests(const std::string& file);

/// The same of a text; its key is the name of its file. `is_there`: whether there is a definition at a path beside it.
[[nodiscard]] tl::expected<std::vector<DefinitionTest>, lang::Diagnostics> parse_definition_tests(
    const lang::Source& tests_file, const std::function<bool(const std::string&)>& is_there);

/// The files of tests at `path`: itself, or, below a folder, all *.test.yaml, *.test.yml and *.test.json, sorted. Error: usage.
[[nodiscard]] Result<std::vector<std::string>> find_test_files(const std::string& path);

}  // namespace catena::cli
