// Lines that are submissions: which may be sent, and what becomes of each.
#include "api/batch.hpp"

#include "base/limits.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

const std::string kEchoLine = R"({"name": "echo", "arguments": {"x": 1}})";

struct Bench {
  Scene scene;
  PinnedBook book;
  Batch batch;

  explicit Bench(BatchLimits limits = {}) : batch{limits} {}
  void add(const std::string& text) {
    const auto shelf = scene.shelf();
    REQUIRE(shelf);
    batch.add(read_batch_line({batch.lines().size() + 1, text}, {}, *shelf, book));
  }
  std::vector<std::string> next_ids() {
    std::vector<std::string> ids;
    while (const auto submission = batch.next()) ids.push_back(submission->chain.value);
    return ids;
  }
};

std::string named_line(const std::string& id) { return R"({"name": "echo", "id": ")" + id + "\"}"; }

}  // namespace

TEST_CASE("a batch has a line for each that is not blank, with its number in the text") {
  const auto lines = batch_lines("one\n\n  \r\ntwo\r\nthree");
  REQUIRE(lines);
  REQUIRE(lines->size() == 3);
  CHECK((*lines)[0].text == "one");
  CHECK((*lines)[1].number == 4);
  CHECK((*lines)[2].number == 5);
  CHECK((*lines)[2].text == "three");
  for (const auto* empty : {"", "\n", " \n\r\n"}) {
    const auto refused = batch_lines(empty);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().error.code == Code::request_invalid);
  }
  std::string many;
  for (std::size_t line = 0; line < limits::kBatchLinesMax; ++line) many += "x\n";
  CHECK(batch_lines(many));
  CHECK(batch_lines(many + "\n"));
  const auto more = batch_lines(many + "x");
  REQUIRE_FALSE(more);
  CHECK(more.error().error.code == Code::request_too_large);
}

TEST_CASE("a line of a batch is a submission with its key, and one that is wrong says where") {
  Bench bench;
  bench.add(R"({"name": "echo", "idempotency_key": "k-1", "labels": {"team": "a"}, "priority": 3, "deadline": "2027-01-31T08:00:00Z"})");
  bench.add(R"({"name": "echo", "priority": 30, "nonsense": 1})");
  bench.add("[]");
  bench.add(R"({"name": "echo", "idempotency_key": "two words"})");
  const auto first = bench.batch.next();
  REQUIRE(first);
  CHECK(first->key == "k-1");
  CHECK(first->labels == ChainLabels{{"team", "a"}});
  CHECK(first->priority == 3);
  CHECK(first->deadline.at == 1'801'382'400'000);
  CHECK(first->id_made);
  CHECK_FALSE(bench.batch.next());
  const auto& lines = bench.batch.lines();
  REQUIRE(lines[1].problem);
  CHECK(lines[1].problem->findings.size() == 2);
  const auto told = batch_record(lines[1], "");
  CHECK(told["line"] == 2);
  CHECK(told["error"]["status"] == 422);
  CHECK(fits(told, "BatchLine"));
  CHECK(batch_record(lines[2], "")["error"]["code"] == "json_syntax");
  CHECK(lines[3].problem);
}

TEST_CASE("a definition that many lines bring is read once") {
  Bench bench;
  const std::string tool = R"({"definition": {"additional_arguments": true, "system_event_endpoint": "builtin:echo"}, "name": ")";
  for (const auto* line : {"a\"}", "a\", \"arguments\": {\"x\": 2}}", "b\"}"}) bench.add(tool + line);
  const auto first = bench.batch.next();
  const auto second = bench.batch.next();
  const auto third = bench.batch.next();
  REQUIRE((first && second && third));
  CHECK(first->package == second->package);
  CHECK(first->package != third->package);
  CHECK(first->chain != second->chain);
}

TEST_CASE("as many lines are on their way as may be, and those of one id come one after the other") {
  Bench bench{{.lines = 3}};
  for (const auto* id : {"a", "b", "a", "a", "c", "d"}) bench.add(named_line(id));
  CHECK(bench.next_ids() == std::vector<std::string>{"a", "b", "c"});
  bench.batch.accept({ChainId{"a"}});
  CHECK(bench.next_ids() == std::vector<std::string>{"a"});
  bench.batch.refuse(ChainId{"a"}, make_error(Code::chain_exists, "there is one"));
  CHECK(bench.next_ids() == std::vector<std::string>{"a"});
  bench.batch.accept({ChainId{"a"}, ChainId{"other"}});
  CHECK(bench.next_ids() == std::vector<std::string>{"d"});
  bench.batch.accept({ChainId{"nobody"}});
  for (const auto* id : {"b", "c", "d"}) {
    CHECK_FALSE(bench.batch.done());
    bench.batch.accept({ChainId{id}});
  }
  CHECK(bench.batch.done());
  const auto& lines = bench.batch.lines();
  CHECK(lines[0].chain == ChainId{"a"});
  REQUIRE(lines[2].problem);
  CHECK(lines[2].problem->error.code == Code::chain_exists);
  CHECK(lines[3].submitted_before);
  CHECK(batch_record(lines[3], "succeeded") == Json::parse(R"({"line": 4, "chain_id": "other", "status": "succeeded", "submitted_before": true})"));
  CHECK(batch_record(lines[5], "running") == Json::parse(R"({"line": 6, "chain_id": "d", "status": "running"})"));
}

TEST_CASE("what nobody answered is given up, and what was answered stays") {
  Bench bench{{.lines = 2}};
  for (const auto* id : {"a", "b", "b", "c"}) bench.add(named_line(id));
  CHECK(bench.next_ids() == std::vector<std::string>{"a", "b"});
  bench.batch.accept({ChainId{"a"}});
  bench.batch.give_up(make_error(Code::internal, "no answer"));
  CHECK(bench.batch.done());
  CHECK_FALSE(bench.batch.next());
  const auto& lines = bench.batch.lines();
  CHECK_FALSE(lines[0].problem);
  for (const auto line : {1, 2, 3}) CHECK(lines[static_cast<std::size_t>(line)].problem);
}

TEST_CASE("a batch is of its own type, and has no key as a whole") {
  Scene scene;
  auto made = request("POST", "/v1/chains:batch", kEchoLine);
  CHECK(to_answer(routed(made).error()).status == 415);
  made.headers["content-type"] = "application/x-ndjson; charset=utf-8";
  const auto found = routed(made);
  REQUIRE(found);
  const auto worked = scene.work(*found);
  REQUIRE(worked);
  CHECK(std::get<std::shared_ptr<Batch>>(std::get<Errand>(*worked).what)->lines().size() == 1);
  made.headers["idempotency-key"] = "k";
  const auto keyed = routed(made);
  REQUIRE(keyed);
  CHECK(to_answer(scene.work(*keyed).error()).status == 400);
  made.body = std::string(limits::kBatchBytesMax + 1, ' ');
  CHECK(to_answer(routed(made).error()).status == 413);
}

}  // namespace catena::api::test
