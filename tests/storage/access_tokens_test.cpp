#include "storage/access_tokens.hpp"

#include "base/codec.hpp"
#include "storage/cluster_records.hpp"
#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"
#include "storage/record.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

/// An access token as it was kept before tokens had rates.
struct TokenOfBefore {
  std::string id = "old";
  TokenRole role = TokenRole::operator_;
};
template <class V>
void fields(V& v, TokenOfBefore& x) {
  v("id", x.id), v("role", x.role);
}

}  // namespace

TEST_CASE("access tokens come back as they were put, apart from other records of a cluster", "[token]") {
  MemoryKv kv;
  const AccessToken token{"abc", "Ann's laptop", TokenRole::operator_, std::string(64, 'f'), 5, 6, 0, {50, 100}, "team-a"};
  Batch batch;
  put_access_token(batch, token);
  put_access_token(batch, {"abd", "", TokenRole::admin, "", 1, 0, 9});
  put_node_control(batch, WorkerId{"token/x"}, {});
  must(kv.write(batch, Durability::sync));
  const auto tokens = must(load_access_tokens(kv));
  REQUIRE(tokens.size() == 2);
  CHECK(tokens.at("abc") == token);
  CHECK(tokens.at("abd").revoked_at == 9);
  CHECK(must(load_node_controls(kv)).size() == 1);
  Batch gone;
  remove_access_token(gone, "abc");
  must(kv.write(gone, Durability::sync));
  CHECK(must(load_access_tokens(kv)).size() == 1);
}

TEST_CASE("an access token that cannot be read is an error, and no open door", "[token]") {
  MemoryKv kv;
  put(kv, keys::access_token("abc"), record(RecordKind::meta, "damage"));
  CHECK(code_of(load_access_tokens(kv)) == Code::storage_corrupt);
}

TEST_CASE("an access token that was made before there were rates has none", "[token]") {
  MemoryKv kv;
  put(kv, keys::access_token("old"), record(RecordKind::meta, codec::to_bytes(TokenOfBefore{})));
  const auto tokens = must(load_access_tokens(kv));
  CHECK(tokens.at("old").role == TokenRole::operator_);
  CHECK(tokens.at("old").rate == TokenRate{});
  CHECK(tokens.at("old").namespace_.empty());
}

TEST_CASE("roles of access tokens have the names that commands take", "[token]") {
  CHECK(token_role_named("operator") == TokenRole::operator_);
  CHECK(name(TokenRole::operator_) == "operator");
  CHECK_FALSE(token_role_named("root"));
}

}  // namespace catena::storage::test
