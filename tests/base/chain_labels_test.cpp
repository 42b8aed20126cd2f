#include "base/chain_labels.hpp"

#include <catch2/catch.hpp>

namespace catena::test {

TEST_CASE("labels of a chain have bounds, and what breaks them is named") {
  CHECK(check_chain_labels({}));
  CHECK(check_chain_labels({{"team", "a"}, {"catena.dev/cost-centre", "4711:é"}}).error().message.find("catena.dev/cost-centre") !=
        std::string::npos);
  CHECK(check_chain_labels({{"team", "a"}, {"owner", "ann+ops@example.org"}, {"a/b.c_d-e", "2026-11-23T10:00"}}));
  const std::string key_most(kLabelKeyBytesMax, 'k');
  const std::string value_most(kLabelValueBytesMax, 'v');
  CHECK(check_chain_labels({{key_most, value_most}}));
  CHECK(check_chain_labels({{key_most + "k", "v"}}).error().code == Code::field_value);
  CHECK(check_chain_labels({{"k", value_most + "v"}}).error().code == Code::field_value);
  for (const auto* key : {"", "1st", "a b", "a=b", "-a", "a*"}) CHECK_FALSE(check_label_key(key));
  for (const auto* value : {"", "a b", "a*", "a,b", "a=b", "\xff"}) CHECK_FALSE(check_chain_labels({{"k", value}}));
  CHECK_FALSE(check_label_key(std::string_view{"a\0b", 3}));
  ChainLabels many;
  for (std::size_t label = 0; label < kChainLabelsMax; ++label) many["k" + std::to_string(label)] = "v";
  CHECK(check_chain_labels(many));
  many["one-more"] = "v";
  CHECK(check_chain_labels(many).error().message == "a chain has at most 16 labels, and 17 were given; leave some out");
}

TEST_CASE("labels that are wanted are one value each, or a pattern") {
  const ChainLabels labels{{"team", "alpha"}, {"stage", "prod"}};
  CHECK(has_labels(labels, {}));
  CHECK(has_labels(labels, {{"team", "alpha"}}));
  CHECK(has_labels(labels, {{"team", "al*"}, {"stage", "pro?"}}));
  CHECK(has_labels(labels, {{"team", "*"}}));
  CHECK_FALSE(has_labels(labels, {{"team", "beta"}}));
  CHECK_FALSE(has_labels(labels, {{"team", "alpha"}, {"stage", "test"}}));
  CHECK_FALSE(has_labels(labels, {{"teams", "*"}}));
  CHECK_FALSE(has_labels({}, {{"team", "*"}}));
}

}  // namespace catena::test
