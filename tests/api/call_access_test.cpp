// What a call of the command line needs over HTTP: each kind of call with each role, in each namespace; and bodies that carry no calls.
#include "api/call_access.hpp"

#include <set>

#include "api/call_asker.hpp"
#include "coordinator/posted_calls.hpp"

#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

using coordinator::ClientAsk;

/// There is one chain of each of two namespaces, and one of none.
Result<ChainLabels> labels_there(const ChainId& chain) {
  if (chain.value == "of-a") return ChainLabels{{"namespace", "team-a"}, {"team", "a"}};
  if (chain.value == "of-b") return ChainLabels{{"namespace", "team-b"}};
  if (chain.value == "of-none") return ChainLabels{};
  return fail(Code::chain_not_found, "there is no such chain");
}

template <class Call>
Call call_about(const std::string& chain) {
  Call call{};
  if constexpr (requires { call.chain = ChainId{chain}; }) call.chain = ChainId{chain};
  if constexpr (std::same_as<Call, coordinator::ForkCall>) call.source = ChainId{chain};
  if constexpr (std::same_as<Call, coordinator::DiffChains>) call.other = ChainId{chain};
  if constexpr (std::same_as<Call, coordinator::RemoveCall>) call.chains = {ChainId{chain}};
  return call;
}

/// One call of each kind, about this chain.
std::vector<ClientAsk> each_kind(const std::string& chain) {
  std::vector<ClientAsk> all;
  [&]<std::size_t... Kind>(std::index_sequence<Kind...>) { (all.push_back(call_about<std::variant_alternative_t<Kind + 1, ClientAsk>>(chain)), ...); }
  (std::make_index_sequence<std::variant_size_v<ClientAsk> - 1>{});
  return all;
}

std::string kind_of(const ClientAsk& ask) {
  return std::visit(
      []<class Call>(const Call& call) -> std::string {
        if constexpr (std::same_as<Call, codec::Unknown>) {
          return call.kind;
        } else {
          return std::string{Call::kKind};
        }
      },
      ask);
}

const CallRule& rule_for(const ClientAsk& ask) { return *std::ranges::find(call_rules(), kind_of(ask), &CallRule::kind); }

/// "ok", or the code of the refusal.
std::string outcome(const ClientAsk& ask, Role role, const std::string& of) {
  const auto allowed = allowed_call(ask, role, of, labels_there);
  return allowed ? "ok" : std::string{catena::name(allowed.error().code)};
}

}  // namespace

TEST_CASE("calls: each kind stands in the table once, and nothing else does") {
  std::multiset<std::string> known;
  for (const auto& rule : call_rules()) known.emplace(rule.kind);
  std::multiset<std::string> calls;
  for (const auto& ask : each_kind("of-a")) calls.insert(kind_of(ask));
  CHECK(known == calls);
}

TEST_CASE("calls: each kind is served for its role and those above it, and for nobody else") {
  for (const auto& ask : each_kind("of-a")) {
    const auto& rule = rule_for(ask);
    CAPTURE(rule.kind);
    CHECK(rule.role >= Role::viewer);
    for (const auto role : {Role::anyone, Role::viewer, Role::operate, Role::admin}) {
      CAPTURE(name(role));
      CHECK(outcome(ask, role, "") == (role >= rule.role ? "ok" : "role_refused"));
      if (role < rule.role) CHECK(outcome(ask, role, "team-a") == "role_refused");  // whatever the namespace
    }
  }
}

TEST_CASE("calls: what changes something needs an operator, and what is everybody's an admin") {
  const auto least = [](const ClientAsk& ask) { return rule_for(ask).role; };
  for (const auto& ask : {ClientAsk{coordinator::SubmitCall{}}, ClientAsk{coordinator::SubmitOnceCall{}}, ClientAsk{coordinator::ProgramCall{}},
                          ClientAsk{coordinator::ControlCall{}}, ClientAsk{coordinator::ResumeCall{}}, ClientAsk{coordinator::ReplayDeliveryCall{}}})
    CHECK(least(ask) == Role::operate);
  for (const auto& ask : {ClientAsk{coordinator::RemoveCall{}}, ClientAsk{coordinator::NodeControlCall{}}, ClientAsk{coordinator::CreateTokenCall{}},
                          ClientAsk{coordinator::RevokeTokenCall{}}, ClientAsk{coordinator::ListTokens{}}, ClientAsk{coordinator::ReadAudit{}}})
    CHECK(least(ask) == Role::admin);
  using enum actors::FileVerb;
  for (const auto verb : {describe, read, list, versions, put, remove, remove_directory}) {
    coordinator::FileStoreCall call;
    call.ask.verb = verb;
    const bool writes = verb == put || verb == remove || verb == remove_directory;
    CHECK(outcome(call, Role::viewer, "") == (writes ? "role_refused" : "ok"));
    CHECK(outcome(call, Role::operate, "") == "ok");
    CHECK(outcome(call, Role::admin, "team-a") == "namespace_refused");
  }
}

TEST_CASE("calls: a caller of a namespace reaches its chains alone, and nothing that all share") {
  for (const std::string chain : {"of-a", "of-b", "of-none", "of-nobody"}) {
    for (const auto& ask : each_kind(chain)) {
      const auto& rule = rule_for(ask);
      CAPTURE(rule.kind, chain);
      const auto came_to = outcome(ask, Role::admin, "team-a");
      const bool names_it = rule.reach == Reach::chain || rule.kind == "remove" || rule.kind == "diff_chains" || rule.kind == "fork";
      if (names_it) {
        CHECK(came_to == (chain == "of-a" ? "ok" : "chain_not_found"));
      } else {
        // files are shared, but those that are stored definitions
        const bool of_files = std::set<std::string_view>{"find_file", "list_files", "list_file_versions", "read_file"}.contains(rule.kind);
        CHECK(came_to == (rule.reach == Reach::cluster || of_files ? "namespace_refused" : "ok"));
      }
    }
  }
  // the words do not tell another's chain from none
  const auto words = [](const std::string& chain) {
    auto refused = allowed_call(coordinator::ResumeCall{ChainId{chain}}, Role::admin, "team-a", labels_there).error().message;
    return refused.replace(refused.find(chain), chain.size(), "ID");
  };
  CHECK(words("of-b") == words("of-nobody"));
  CHECK(outcome(coordinator::RemoveCall{{ChainId{"of-a"}, ChainId{"of-b"}}}, Role::admin, "team-a") == "chain_not_found");
  CHECK(outcome(coordinator::DiffChains{.chain = ChainId{"of-a"}, .other = ChainId{"of-b"}}, Role::admin, "team-a") == "chain_not_found");
}

TEST_CASE("calls: what a caller of a namespace submits and lists is of it") {
  const auto narrowed = [](ClientAsk ask) { return allowed_call(std::move(ask), Role::admin, "team-a", labels_there); };
  coordinator::SubmitCall submit;
  submit.labels = {{"team", "x"}};
  CHECK(std::get<coordinator::SubmitCall>(*narrowed(submit)).labels == ChainLabels{{"namespace", "team-a"}, {"team", "x"}});
  CHECK(std::get<coordinator::SubmitOnceCall>(*narrowed(coordinator::SubmitOnceCall{submit, "key"})).submit.labels.at("namespace") == "team-a");
  CHECK(std::get<coordinator::ListChains>(*narrowed(coordinator::ListChains{})).labels.at("namespace") == "team-a");
  CHECK(std::get<coordinator::ReadFeed>(*narrowed(coordinator::ReadFeed{})).namespace_ == "team-a");
  for (const std::string other : {"team-b", "*", "team-?"}) {
    CAPTURE(other);
    submit.labels["namespace"] = other;
    CHECK(outcome(submit, Role::admin, "team-a") == "namespace_refused");
    CHECK(outcome(coordinator::SubmitOnceCall{submit, "key"}, Role::admin, "team-a") == "namespace_refused");
    CHECK(outcome(coordinator::ListChains{.labels = {{"namespace", other}}}, Role::admin, "team-a") == "namespace_refused");
    CHECK(outcome(coordinator::ReadFeed{.namespace_ = other}, Role::admin, "team-a") == "namespace_refused");
  }
  // and of who is of none, as it stands
  CHECK(std::get<coordinator::ListChains>(*allowed_call(coordinator::ListChains{}, Role::viewer, "", labels_there)).labels.empty());
}

TEST_CASE("calls: of the files a caller of a namespace reaches those that are stored definitions") {
  for (const std::string path : {"/.definitions", "/.definitions/team/greet", "/x/../.definitions/greet"}) {
    CAPTURE(path);
    CHECK(outcome(coordinator::FindFile{path}, Role::viewer, "team-a") == (path.starts_with("/x") ? "namespace_refused" : "ok"));
    CHECK(outcome(coordinator::ReadFile{.path = path}, Role::viewer, "team-a") == (path.starts_with("/x") ? "namespace_refused" : "ok"));
  }
  for (const std::string path : {"/", "/a.txt", "/.definitionsx", "/.definitions/../a.txt", ""}) {
    CAPTURE(path);
    CHECK(outcome(coordinator::FindFile{path}, Role::viewer, "team-a") == "namespace_refused");
    CHECK(outcome(coordinator::ListFiles{.path = path}, Role::viewer, "team-a") == "namespace_refused");
    CHECK(outcome(coordinator::ListFileVersions{.path = path}, Role::viewer, "team-a") == "namespace_refused");
    CHECK(outcome(coordinator::ReadFile{.path = path}, Role::viewer, "team-a") == "namespace_refused");
  }
}

TEST_CASE("calls: of several grants the one counts that the call needs, as for a route") {
  using storage::TokenRole;
  const std::vector<Grant> both{{TokenRole::viewer, ""}, {TokenRole::operator_, "shop"}};
  const auto grant = [&](const ClientAsk& ask, const std::vector<Grant>& grants) { return grant_for(needs_of(ask), grants, "she"); };
  CHECK(*grant(coordinator::SubmitCall{}, both) == both[1]);
  CHECK(*grant(coordinator::ListChains{}, both) == both[0]);
  CHECK(grant(coordinator::RemoveCall{}, both).error().error.code == Code::role_refused);
  const std::vector<Grant> apart{{TokenRole::operator_, "shop"}, {TokenRole::viewer, "bar"}};
  CHECK(*grant(coordinator::SubmitCall{}, apart) == apart[0]);
  CHECK(grant(coordinator::ListChains{}, apart).error().error.code == Code::namespace_refused);
  CHECK(grant(coordinator::PingCall{}, apart));
}

TEST_CASE("calls: a store that cannot be read is no chain that is not there") {
  const auto broken = [](const ChainId&) -> Result<ChainLabels> { return fail(Code::storage_io, "the disk"); };
  CHECK(allowed_call(coordinator::AwaitCall{ChainId{"of-a"}}, Role::admin, "team-a", broken).error().code == Code::storage_io);
}

namespace {

Asked posted(std::string body) {
  auto made = request("POST", "/v1/calls", std::move(body));
  made.headers["content-type"] = std::string{coordinator::kPostedCallsType};
  auto found = routed(std::move(made));
  if (!found) FAIL(found.error().error.message);
  return std::move(*found);
}

std::string body_of(const std::vector<ClientAsk>& asks) {
  coordinator::PostedCalls calls;
  for (const auto& ask : asks) calls.calls.push_back(codec::encode_kind(ask));
  return coordinator::encode_posted(calls);
}

CallOrder order_of(Scene& scene, const Asked& what) {
  auto worked = scene.work(what);
  if (!worked) FAIL(worked.error().error.message);
  return *std::get<std::shared_ptr<CallOrder>>(std::get<Errand>(*worked).what);
}

int refused_status(Scene& scene, const std::string& body) {
  auto worked = scene.work(posted(body));
  return worked ? 200 : to_answer(worked.error()).status;
}

}  // namespace

TEST_CASE("calls: a request has its calls in their order, each with its own refusal") {
  Scene scene;
  scene.questions.on<coordinator::DescribeChain>([](const coordinator::DescribeChain& ask) -> Result<coordinator::ChainDescription> {
    return labels_there(ask.chain).map([&](ChainLabels labels) {
      coordinator::ChainDescription known;
      known.chain = ask.chain;
      known.labels = std::move(labels);
      return known;
    });
  });
  auto what = posted(body_of({coordinator::AwaitCall{ChainId{"of-a"}}, coordinator::AwaitCall{ChainId{"of-b"}}, coordinator::NodesCall{},
                              coordinator::ResumeCall{ChainId{"of-a"}}, codec::Unknown{"of_tomorrow"}, coordinator::PingCall{}}));
  what.role = Role::viewer;
  what.namespace_ = "team-a";
  const auto order = order_of(scene, what);
  std::vector<std::string> came_to;
  for (const auto& call : order.calls) came_to.push_back(call ? "ok" : std::string{catena::name(call.error().code)});
  CHECK(came_to == std::vector<std::string>{"ok", "chain_not_found", "namespace_refused", "role_refused", "feature_unavailable", "ok"});
  CHECK(order_of(scene, posted(body_of({}))).calls.empty());
}

TEST_CASE("calls: the wait of a request is bounded") {
  Scene scene;
  const auto wait = [&](std::int64_t wished) {
    return order_of(scene, posted(coordinator::encode_posted(coordinator::PostedCalls{.wait_ms = wished}))).wait.count();
  };
  CHECK(wait(0) == 0);
  CHECK(wait(5'000) == 5'000);
  CHECK(wait(-5) == 0);
  CHECK(wait(std::numeric_limits<std::int64_t>::max()) == coordinator::kPostedWaitMsMax);
}

TEST_CASE("calls: versions are agreed upon, or the one to update is named") {
  Scene scene;
  const auto refused = [&](std::uint32_t least, std::uint32_t most) {
    const auto worked = scene.work(posted(coordinator::encode_posted(coordinator::PostedCalls{.version_least = least, .version_most = most})));
    return worked ? std::string{} : worked.error().error.message;
  };
  CHECK(refused(1, 1).empty());
  CHECK(refused(1, 7).empty());
  CHECK_THAT(refused(2, 7), Catch::EndsWith("update the coordinator"));
  CHECK_THAT(refused(0, 0), Catch::EndsWith("update the client"));
}

TEST_CASE("calls: bodies that carry none are refused whole, whatever they are") {
  Scene scene;
  CHECK(refused_status(scene, "{}") == 400);
  CHECK(refused_status(scene, std::string(1000, '\xdf')) == 400);
  CHECK(refused_status(scene, std::string(5000, '\x91')) == 400);
  const auto good = body_of({coordinator::PingCall{}, coordinator::AwaitCall{ChainId{"of-a"}}});
  REQUIRE(refused_status(scene, good) == 200);
  for (std::size_t length = 1; length < good.size(); ++length) {
    CAPTURE(length);
    CHECK(refused_status(scene, good.substr(0, length)) == 400);
  }
  CHECK(refused_status(scene, good + good) == 400);
  CHECK(refused_status(scene, body_of(std::vector<ClientAsk>(coordinator::kPostedCallsMax, coordinator::PingCall{}))) == 200);
  CHECK(refused_status(scene, body_of(std::vector<ClientAsk>(coordinator::kPostedCallsMax + 1, coordinator::PingCall{}))) == 413);
  // a byte that is another one: refused, or read as something that is checked like everything else
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {1, 0x80, 0xff}) {
      auto bent = good;
      bent[at] = static_cast<char>(bent[at] ^ flip);
      const auto status = refused_status(scene, bent);
      CHECK((status == 200 || status == 400 || status == 413 || status == 422));
    }
  }
}

TEST_CASE("calls: a request is of its type, and no larger than it may be") {
  CHECK(to_answer(routed(request("POST", "/v1/calls", "{}")).error()).status == 415);
  auto large = request("POST", "/v1/calls", std::string(coordinator::kPostedBytesMax + 1, 'x'));
  large.headers["content-type"] = std::string{coordinator::kPostedCallsType};
  CHECK(to_answer(routed(std::move(large)).error()).status == 413);
}

TEST_CASE("calls: answers are read with suspicion") {
  const auto answers = coordinator::encode_posted(coordinator::PostedAnswers{.software = "1.2.3", .answers = {{true, "x"}, {false, ""}}});
  const auto read = coordinator::read_posted_answers(answers, 2);
  REQUIRE(read);
  CHECK(read->answers[0].told);
  CHECK_FALSE(read->answers[1].told);
  CHECK(coordinator::read_posted_answers(answers, 1).error().code == Code::connection_failed);
  for (std::size_t length = 0; length < answers.size(); ++length) CHECK_FALSE(coordinator::read_posted_answers(answers.substr(0, length), 2));
}

}  // namespace catena::api::test
