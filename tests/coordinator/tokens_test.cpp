// Access tokens: whose one is, what is kept of it, and who hears of changes.
#include <catch2/catch.hpp>

#include "coordinator/inspect/inspector.hpp"
#include "coordinator/token_book.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

const std::string kIdOne = "0123456789ab";
const std::string kSecretOne(64, '7');

TokenBook book_of(UnixMillis expires_at, UnixMillis revoked_at) {
  storage::AccessToken token{kIdOne, "ann", storage::TokenRole::operator_, token_digest(kSecretOne), 1, expires_at, revoked_at};
  return TokenBook{{{kIdOne, token}}};
}

bool is_fault(const std::variant<TokenHolder, TokenFault>& verdict, TokenFault fault) {
  return verdict == std::variant<TokenHolder, TokenFault>{fault};
}

/// A client beside the fixture's own, for messages about tokens.
struct TokenClient {
  explicit TokenClient(Fixture& with) : f{with}, self{with.system} {}

  actors::TokenMade create(const std::string& name, storage::TokenRole role, Millis lasts = Millis{0}, storage::TokenRate rate = {}) {
    return make({name, role, lasts, rate});
  }
  actors::TokenMade make(actors::CreateToken wish) {
    self->send(f.services()->tokens, std::move(wish));
    f.run();
    actors::TokenMade made;
    self->receive([&](actors::TokenMade& answer) { made = std::move(answer); }, caf::after(std::chrono::seconds{0}) >> [] { FAIL("no answer"); });
    return made;
  }
  std::optional<Error> revoke(const std::string& id) {
    self->send(f.services()->tokens, actors::RevokeToken{id});
    f.run();
    std::optional<Error> error;
    self->receive([&](actors::TokenRevoked& answer) { error = std::move(answer.error); },
                  caf::after(std::chrono::seconds{0}) >> [] { FAIL("no answer"); });
    return error;
  }

  Fixture& f;
  caf::scoped_actor self;
};

}  // namespace

TEST_CASE("a token is its holder's, or it is told why not: garbage, unknown, expired, revoked") {
  const auto text = token_text(kIdOne, kSecretOne);
  CHECK(text.size() == 92);
  CHECK(text.starts_with("catena_0123456789ab_7777"));
  const auto verdict = book_of(0, 0).verify(text, 1'000'000);
  REQUIRE(std::holds_alternative<TokenHolder>(verdict));
  CHECK(std::get<TokenHolder>(verdict) == TokenHolder{kIdOne, "ann", storage::TokenRole::operator_});
  CHECK(std::holds_alternative<TokenHolder>(book_of(100, 0).verify(text, 99)));
  CHECK(is_fault(book_of(100, 0).verify(text, 100), TokenFault::expired));
  CHECK(is_fault(book_of(100, 50).verify(text, 99), TokenFault::revoked));
  CHECK(is_fault(TokenBook{}.verify(text, 1), TokenFault::unknown));
  CHECK(is_fault(book_of(0, 0).verify(token_text(kIdOne, std::string(64, '8')), 1), TokenFault::unknown));
  CHECK(is_fault(book_of(0, 0).verify(token_text("0123456789ac", kSecretOne), 1), TokenFault::unknown));
  // Any letter that is wrong or missing makes it garbage: nobody takes it for an expired one.
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto wrong = text;
    wrong[at] = wrong[at] == '1' ? '2' : '1';
    CHECK(is_fault(book_of(0, 0).verify(wrong, 1), TokenFault::garbage));
    CHECK(is_fault(book_of(0, 0).verify(text.substr(0, at), 1), TokenFault::garbage));
  }
  CHECK(is_fault(book_of(0, 0).verify(text + "0", 1), TokenFault::garbage));
  for (const auto fault : {TokenFault::garbage, TokenFault::unknown, TokenFault::expired, TokenFault::revoked}) CHECK_FALSE(words(fault).empty());
}

TEST_CASE("tokens are made, listed without their secrets, revoked, and known again after a crash") {
  Fixture f;
  std::string first_text;
  std::string second_id;
  {
    TokenClient client{f};
    const auto first = client.create("Ann", storage::TokenRole::viewer, Millis{3'600'000});
    REQUIRE_FALSE(first.error);
    first_text = first.text;
    const auto second = client.create("", storage::TokenRole::admin);
    REQUIRE_FALSE(second.error);
    second_id = second.token.id;
    CHECK(first.text != second.text);
    CHECK(first.token.expires_at == f.now() + 3'600'000);
    CHECK(second.token.expires_at == 0);
    CHECK(client.revoke(second_id) == std::nullopt);
    CHECK(client.revoke("no such")->code == Code::usage);
    CHECK(client.create(std::string(200, 'x'), storage::TokenRole::viewer).error->code == Code::usage);
    CHECK(client.create("short", storage::TokenRole::viewer, Millis{1}).error->code == Code::usage);
  }
  f.crash();
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  const auto list = inspector.answer(ListTokens{}).value();
  REQUIRE(list.tokens.size() == 2);
  const auto tokens = storage::load_access_tokens(f.kv).value();
  const TokenBook book{tokens};
  CHECK(std::get<TokenHolder>(book.verify(first_text, f.now())).name == "Ann");
  CHECK(is_fault(book.verify(first_text, f.now() + 3'600'000), TokenFault::expired));
  CHECK(tokens.at(second_id).revoked_at != 0);
  // Nothing of what is secret is in the store.
  const auto secret = first_text.substr(20, 64);
  REQUIRE(f.kv.scan("", "", [&](std::string_view, std::string_view value) {
    CHECK(value.find(secret) == std::string_view::npos);
    return true;
  }));
}

TEST_CASE("a token keeps a rate of its own, which is listed; a burst has a rate, and both have a bound") {
  Fixture f;
  std::string id;
  {
    TokenClient client{f};
    const auto create = [&](storage::TokenRate rate) { return client.create("", storage::TokenRole::viewer, Millis{0}, rate); };
    id = create({50, 100}).token.id;
    CHECK(create({0, 1}).error->code == Code::usage);
    CHECK(create({kTokenRateMax + 1, 0}).error->code == Code::usage);
    CHECK(create({1, kTokenRateMax + 1}).error->code == Code::usage);
  }
  f.crash();
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  const auto list = inspector.answer(ListTokens{}).value();
  REQUIRE(list.tokens.size() == 1);
  CHECK(list.tokens.front().rate == storage::TokenRate{50, 100});
  const TokenBook book{storage::load_access_tokens(f.kv).value()};
  CHECK(book.rate_of(id) == storage::TokenRate{50, 100});
  CHECK(book.rate_of("certificate") == storage::TokenRate{});
  CHECK(words(storage::TokenRate{50, 0}) == "50/s");
  CHECK(words(storage::TokenRate{}).empty());
}

TEST_CASE("a token of one namespace stays one, and says so to whoever checks it and whoever lists") {
  Fixture f;
  std::string text;
  {
    TokenClient client{f};
    const auto create = [&](const std::string& of) { return client.make({"", storage::TokenRole::admin, Millis{0}, {}, of}); };
    text = create("team-a").text;
    CHECK(create("a b").error->code == Code::field_value);
    CHECK(create("*").error->code == Code::field_value);
  }
  f.crash();
  const TokenBook book{storage::load_access_tokens(f.kv).value()};
  CHECK(std::get<TokenHolder>(book.verify(text, f.now())).namespace_ == "team-a");
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  const auto list = inspector.answer(ListTokens{}).value();
  REQUIRE(list.tokens.size() == 1);
  CHECK(list.tokens.front().namespace_ == "team-a");
}

TEST_CASE("whoever checks tokens hears of those that were made and revoked, without a new start") {
  Fixture f;
  TokenClient client{f};
  caf::scoped_actor watcher{f.system};
  std::vector<std::shared_ptr<const storage::AccessTokens>> heard;
  const auto listen = [&] {
    f.run();
    bool more = true;
    while (more) {
      watcher->receive([&](actors::TokensChanged& changed) { heard.push_back(changed.tokens); },
                       caf::after(std::chrono::seconds{0}) >> [&] { more = false; });
    }
  };
  watcher->send(f.services()->tokens, actors::WatchTokens{});
  listen();
  REQUIRE(heard.size() == 1);
  CHECK(heard.back()->empty());
  const auto made = client.create("Ann", storage::TokenRole::operator_);
  listen();
  REQUIRE(heard.size() == 2);
  CHECK(std::holds_alternative<TokenHolder>(TokenBook{*heard.back()}.verify(made.text, f.now())));
  CHECK(client.revoke(made.token.id) == std::nullopt);
  listen();
  REQUIRE(heard.size() == 3);
  CHECK(is_fault(TokenBook{*heard.back()}.verify(made.text, f.now()), TokenFault::revoked));
}

TEST_CASE("tokens that ended a month ago make room, and there is a bound for the others") {
  Fixture f;
  storage::Batch batch;
  for (std::size_t token = 0; token < kTokensMax; ++token) {
    storage::AccessToken made{fmt::format("{:012x}", token), "", storage::TokenRole::viewer, "", 1, token == 0 ? 2 : 0, 0};
    storage::put_access_token(batch, made);
  }
  REQUIRE(f.kv.write(batch, storage::Durability::sync));
  TokenClient client{f};
  CHECK_FALSE(client.create("takes the place of the one that ended", storage::TokenRole::viewer).error);
  CHECK(client.create("one too many", storage::TokenRole::viewer).error->code == Code::usage);
  CHECK(storage::load_access_tokens(f.kv).value().size() == kTokensMax);
}

}  // namespace catena::coordinator::test
