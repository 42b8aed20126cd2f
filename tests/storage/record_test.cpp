#include "storage/record.hpp"

#include "base/hash.hpp"
#include "storage/bytes.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {

TEST_CASE("a record gives its payload back", "[record]") {
  for (const std::size_t size : {0U, 1U, 127U, 128U, 16'383U, 16'384U, 300'000U}) {
    const std::string payload(size, 'p');
    const auto bytes = record(RecordKind::event, payload);
    CHECK(must(open_record(RecordKind::event, bytes, "key")) == payload);
  }
}

TEST_CASE("the parts of a record are joined, and what stood before it stays", "[record]") {
  std::string out = "before";
  append_record(out, RecordKind::item, {"a", "", "bc"});
  CHECK(out.starts_with("before"));
  CHECK(must(open_record(RecordKind::item, std::string_view{out}.substr(6), "key")) == "abc");
}

TEST_CASE("every flipped bit of a record is found", "[record]") {
  const auto good = record(RecordKind::item, R"({"result": [1, 2, 3], "text": "a payload of some length"})");
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    const auto opened = open_record(RecordKind::item, bad, "key");
    REQUIRE_FALSE(opened.has_value());
    REQUIRE(opened.error().code == Code::storage_corrupt);
  }
}

TEST_CASE("every shortened and every lengthened record is found", "[record]") {
  const auto good = record(RecordKind::event, "some payload");
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK(code_of(open_record(RecordKind::event, good.substr(0, size), "key")) == Code::storage_corrupt);
  }
  CHECK(code_of(open_record(RecordKind::event, good + '\0', "key")) == Code::storage_corrupt);
}

TEST_CASE("a record of another kind is refused, and the message names kind and key", "[record]") {
  const auto opened = open_record(RecordKind::event, record(RecordKind::item, "payload"), std::string_view{"jid\0", 4});
  CHECK(code_of(opened) == Code::storage_corrupt);
  CHECK(opened.error().message.find("journal event") != std::string::npos);
  CHECK(opened.error().message.find("jid\\x00") != std::string::npos);
}

TEST_CASE("an intact record of a newer format says so", "[record]") {
  auto bytes = record(RecordKind::event, "payload");
  bytes.resize(bytes.size() - 4);
  bytes[0] = 2;
  append_be32(bytes, checksum(bytes));
  CHECK(code_of(open_record(RecordKind::event, bytes, "key")) == Code::storage_format);
}

}  // namespace catena::storage::test
