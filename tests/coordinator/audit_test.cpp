// The audit log: what was asked, by whom, and never later than what came of it.
#include "coordinator/audit.hpp"

#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

const Settings kAudited{.audit_keep = 1'000};
const storage::Asker kAnn{storage::AskedVia::http, "ann", "0f"};

std::vector<AuditRow> read_audit(const Fixture& f, const ReadAudit& ask = {}) {
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  auto page = inspector.answer(ask);
  REQUIRE(page);
  return std::move(page->rows);
}

/// "act subject detail reason"
std::string words_of_entry(const storage::AuditEntry& entry) {
  return fmt::format("{}|{}|{}|{}", entry.act, entry.subject, entry.detail, entry.reason);
}

actors::Control control(decltype(actors::Control::what) what) { return {ChainId{"c"}, std::move(what)}; }

}  // namespace

TEST_CASE("an entry says what was asked of what, in words that a person reads") {
  CHECK(words_of_entry(audit_entry(control(engine::Cancel{"wrong week", true}))) == "cancel|c|now|wrong week");
  CHECK(words_of_entry(audit_entry(control(engine::Pause{}))) == "pause|c||");
  CHECK(words_of_entry(audit_entry(control(engine::Unpause{}))) == "unpause|c||");
  CHECK(words_of_entry(audit_entry(control(engine::Amend{.priority = 3, .deadline = Deadline{std::chrono::hours{2}}}))) ==
        "amend|c|priority 3, deadline 2h|");
  CHECK(words_of_entry(audit_entry(control(engine::Amend{.deadline = Deadline{}}))) == "amend|c|no deadline|");
  auto retry = control(engine::Retry{});
  retry.wish = {true, {"load"}, {{"each", IndexSet::one(7)}}};
  CHECK(words_of_entry(audit_entry(retry)) == "retry|c|only what failed; from load; items 7 of each|");
  auto skip = control(engine::Substitute{0, IndexSet::one(3), engine::inline_payload("1")});
  skip.step = "each";
  CHECK(words_of_entry(audit_entry(skip)) == "skip|c|items 3 of each|");
  CHECK(words_of_entry(audit_entry(control(engine::Resolve{{1, 2}, IndexSet::one(4), std::monostate{}}))) ==
        "resolve|c|step 1, visit 2, items 4: again|");
  CHECK(words_of_entry(audit_entry(actors::ResumeChain{ChainId{"c"}})) == "resume|c||");
  CHECK(words_of_entry(audit_entry(actors::RemoveChains{{ChainId{"a"}}}).front()) == "remove|a||");
  CHECK(words_of_entry(audit_entry(actors::RemoveChains{{ChainId{"a"}, ChainId{"b"}}}).front()) == "remove||a b|");
  CHECK(words_of_entry(audit_entry(actors::NodeControl{WorkerId{"w"}, actors::NodeVerb::drain})) == "drain|w||");
  retry.reason = skip.reason = "the file is there now";
  CHECK(words_of_entry(audit_entry(retry)) == "retry|c|only what failed; from load; items 7 of each|the file is there now");
  CHECK(words_of_entry(audit_entry(skip)) == "skip|c|items 3 of each|the file is there now");
  CHECK(words_of_entry(audit_entry(actors::ResumeChain{.chain = ChainId{"c"}, .reason = "on"})) == "resume|c||on");
  CHECK(words_of_entry(audit_entry(actors::RemoveChains{.chains = {ChainId{"a"}, ChainId{"b"}}, .reason = "old"}).front()) == "remove||a b|old");
  CHECK(words_of_entry(audit_entry(actors::NodeControl{.worker = WorkerId{"w"}, .what = actors::NodeVerb::cordon, .reason = "hot"})) ==
        "cordon|w||hot");
  CHECK(words_of_entry(audit_entry(actors::CreateToken{"ci", storage::TokenRole::admin, Millis{0}})) == "create_token||admin, for ci|");
  CHECK(words_of_entry(audit_entry(actors::CreateToken{"ci", storage::TokenRole::admin, Millis{0}, {}, "team-a"})) ==
        "create_token||admin, of namespace team-a, for ci|");
  CHECK(words_of_entry(audit_entry(actors::CreateToken{"", storage::TokenRole::viewer, Millis{0}, {50, 100}})) ==
        "create_token||viewer, 50/s with a burst of 100|");
  CHECK(words_of_entry(audit_entry(actors::RevokeToken{"0f"})) == "revoke_token|0f||");
  CHECK(audit_entry(control(engine::Cancel{std::string(10'000, 'x'), false})).reason.size() == 4096);
}

TEST_CASE("whoever removes many chains with long names removes none without an entry that names it") {
  actors::RemoveChains remove;
  for (int chain = 0; chain < 200; ++chain) remove.chains.push_back(ChainId{fmt::format("{:0>1000}", chain)});
  std::string named;
  for (const auto& entry : audit_entry(remove)) named += entry.detail + ' ';
  for (const auto& chain : remove.chains) CHECK(named.find(chain.value + ' ') != std::string::npos);
  CHECK(audit_entry(actors::NodeControl{WorkerId{std::string(1'000'000, 'w')}, actors::NodeVerb::drain}).subject.size() <= 1024);
}

TEST_CASE("questions and submissions are no entries of the audit log") {
  CHECK_FALSE(Audited<actors::Submission>);
  CHECK_FALSE(Audited<actors::AwaitChain>);
  CHECK_FALSE(Audited<actors::AskNodes>);
  CHECK(Audited<actors::Control>);
}

TEST_CASE("whatever came of what somebody asked, the audit log has who asked for it, also after a power failure") {
  std::size_t cancelled = 0;
  for (std::size_t messages = 0; messages < 60; ++messages) {
    CAPTURE(messages);
    Fixture f{{.settings = kAudited}};
    f.script.on("c/a", held());
    f.submit(pin(composite({step("a")})));
    f.run();
    const auto what = control(engine::Cancel{"wrong week", false});
    note_audit(*f.services(), kAnn, what);
    f.tell(what);
    f.run_messages(messages);
    f.crash();
    const auto entries = read_audit(f);
    REQUIRE(entries.size() <= 1);
    if (f.count<engine::CancelRequested>() == 0) continue;
    ++cancelled;
    REQUIRE(entries.size() == 1);
    CHECK(entries.front().entry.by == kAnn);
    CHECK(words_of_entry(entries.front().entry) == "cancel|c||wrong week");
  }
  CHECK(cancelled > 0);
}

TEST_CASE("the audit log is read by who, what, about whom and since when, in pages") {
  Fixture f{{.settings = kAudited}};
  const storage::Asker bob{storage::AskedVia::cluster, "bob", "10.0.0.3:7000"};
  const auto& services = *f.services();
  note_audit(services, kAnn, actors::ResumeChain{ChainId{"orders-1"}});
  note_audit(services, bob, actors::ResumeChain{ChainId{"orders-2"}});
  note_audit(services, bob, actors::RemoveChains{{ChainId{"orders-1"}, ChainId{"other"}}});
  f.run();
  CHECK(read_audit(f).size() == 3);
  CHECK(read_audit(f, {.act = "remove"}).size() == 1);
  CHECK(read_audit(f, {.subject = "orders-1"}).size() == 2);
  CHECK(read_audit(f, {.subject = "orders-*"}).size() == 3);
  CHECK(read_audit(f, {.who = "bob"}).size() == 2);
  CHECK(read_audit(f, {.who = "10.0.0.*"}).size() == 2);
  CHECK(read_audit(f, {.who = "0f"}).size() == 1);
  CHECK(read_audit(f, {.since = services.clock->now() + 1}).empty());
  const auto first = read_audit(f, {.limit = 1});
  REQUIRE(first.size() == 1);
  CHECK(read_audit(f, {.first = first.front().number + 1}).size() == 2);
  // numbers grow over starts
  const auto last = read_audit(f).back().number;
  f.crash();
  note_audit(*f.services(), bob, actors::ResumeChain{ChainId{"late"}});
  f.run();
  CHECK(read_audit(f).back().number > last);
}

TEST_CASE("what is only to be checked is no entry") {
  Fixture f{{.settings = kAudited}};
  note_audit(*f.services(), kAnn, actors::ResumeChain{.chain = ChainId{"c"}, .only_check = true});
  f.run();
  CHECK(read_audit(f).empty());
}

TEST_CASE("where no audit log is kept nothing is written to it") {
  Fixture f;
  note_audit(*f.services(), kAnn, actors::ResumeChain{ChainId{"c"}});
  f.run();
  CHECK(read_audit(f).empty());
}

}  // namespace catena::coordinator::test
