// Structs as bytes and back: what builds of different versions understand of each other, and what damage and malice get.
#include "base/codec.hpp"

#include <catch2/catch.hpp>

namespace catena::codec::test {

enum class Colour : std::uint8_t { red, green };
constexpr std::uint32_t count_of(Colour) { return 2; }

struct Inner {
  std::string name;
  std::int64_t number = 7;
};
template <class V>
void fields(V& v, Inner& x) {
  v("name", x.name);
  v("number", x.number);
}

struct Sample {
  static constexpr std::string_view kKind = "sample";
  std::string text;
  bool on = true;
  Colour colour = Colour::green;
  std::uint64_t large = 0;
  std::int64_t small = 0;
  std::vector<Inner> list;
  std::map<std::string, std::uint32_t> map;
  std::optional<Inner> maybe;
  Json json = Json::object();
  WorkerId worker;
};
template <class V>
void fields(V& v, Sample& x) {
  v("text", x.text);
  v("on", x.on);
  v("colour", x.colour);
  v("large", x.large);
  v("small", x.small);
  v("list", x.list);
  v("map", x.map);
  v("maybe", x.maybe);
  v("json", x.json);
  v("worker", x.worker);
}

/// The same of a later version: a member more, in another order.
struct Later {
  std::vector<std::string> more{"default"};
  std::int64_t small = 0;
  std::string text;
};
template <class V>
void fields(V& v, Later& x) {
  v("small", x.small);
  v("more", x.more);
  v("text", x.text);
}

struct Other {
  static constexpr std::string_view kKind = "other";
};
template <class V>
void fields(V&, Other&) {}

namespace {

Sample sample() {
  Sample made;
  made.text = std::string(
      "\0\xff"
      "text",
      6);
  made.on = false;
  made.colour = Colour::red;
  made.large = UINT64_MAX;
  made.small = INT64_MIN;
  made.list = {{"a", -1}, {"", 0}, {std::string(70'000, 'x'), -40}};
  made.map = {{"one", 1}, {"", 0}};
  made.maybe = Inner{"maybe", 3};
  made.json = {{"list", {1, 2.5, nullptr, "ä"}}};
  made.worker = WorkerId{"w"};
  return made;
}

}  // namespace

TEST_CASE("what is written is read back, defaults and emptiness too") {
  const auto read = from_bytes<Sample>(to_bytes(sample()));
  REQUIRE(read);
  CHECK(read->text == sample().text);
  CHECK_FALSE(read->on);
  CHECK(read->colour == Colour::red);
  CHECK(read->large == UINT64_MAX);
  CHECK(read->small == INT64_MIN);
  REQUIRE(read->list.size() == 3);
  CHECK(read->list[0].number == -1);
  CHECK(read->list[1].number == 0);
  CHECK(read->list[2].name.size() == 70'000);
  CHECK(read->map == sample().map);
  CHECK(read->maybe->name == "maybe");
  CHECK(read->json == sample().json);
  CHECK(read->worker == WorkerId{"w"});
  const auto plain = from_bytes<Sample>(to_bytes(Sample{}));
  REQUIRE(plain);
  CHECK(plain->on);
  CHECK_FALSE(plain->maybe);
}

TEST_CASE("numbers of every size are read as they were written") {
  for (const std::int64_t number : {INT64_MIN, INT64_C(-2147483649), INT64_C(-129), INT64_C(-33), INT64_C(-32), INT64_C(-1), INT64_C(0), INT64_C(127),
                                    INT64_C(128), INT64_C(255), INT64_C(256), INT64_C(65536), INT64_C(4294967296), INT64_MAX}) {
    CHECK(from_bytes<Inner>(to_bytes(Inner{"", number}))->number == number);
  }
}

TEST_CASE("what is written has the same bytes in every build") {
  const auto of = [](const std::string& name, std::int64_t number) { return to_bytes(Inner{name, number}); };
  const std::string head{"\xde\0\2\xa4name", 8};
  CHECK(of("a", -1) == head +
                           "\xa1"
                           "a\xa6number\xff");
  CHECK(of("a", 127) == head +
                            "\xa1"
                            "a\xa6number\x7f");
  CHECK(of("a", 128) == head +
                            "\xa1"
                            "a\xa6number\xcc\x80");
  CHECK(of("a", 0x1234567) == head +
                                  "\xa1"
                                  "a\xa6number\xce\x01\x23\x45\x67");
  const std::string number = head +
                             "\xa1"
                             "a\xa6number";
  CHECK(of("a", 256) == number + std::string{"\xcd\1\0", 3});
  CHECK(of("a", INT64_C(0x100000000)) == number + std::string{"\xcf\0\0\0\1\0\0\0\0", 9});
  CHECK(of("a", -32) == number + "\xe0");
  CHECK(of("a", -33) == number + "\xd3\xff\xff\xff\xff\xff\xff\xff\xdf");
  CHECK(to_bytes(Inner{"", 1}) == std::string{"\xde\0\1\xa6number\1", 11});  // what is empty is not written
  using Sized = std::pair<std::size_t, std::string>;
  for (const auto& [size, text_head] : {Sized{31, "\xbf"}, Sized{32, "\xd9\x20"}, Sized{255, "\xd9\xff"}, Sized{256, {"\xda\1\0", 3}},
                                        Sized{65'535, "\xda\xff\xff"}, Sized{65'536, {"\xdb\0\1\0\0", 5}}}) {
    INFO(size);
    const auto bytes = of(std::string(size, 'x'), 5);
    CHECK(bytes.substr(0, head.size() + text_head.size() + 1) == head + text_head + "x");
    CHECK(bytes.size() == head.size() + text_head.size() + size + 8);
    CHECK(from_bytes<Inner>(bytes)->name == std::string(size, 'x'));
  }
  CHECK(to_bytes(std::vector<std::uint32_t>{}) == "\x90");
  CHECK(to_bytes(std::vector<std::uint32_t>(15, 1)) == "\x9f" + std::string(15, '\1'));
  CHECK(to_bytes(std::vector<std::uint32_t>(16, 1)) == std::string{"\xdd\0\0\0\x10", 5} + std::string(16, '\1'));
  CHECK(to_bytes(std::map<std::string, bool>{{"a", true}, {"b", false}}) == std::string{"\xdf\0\0\0\2\xa1"
                                                                                        "a\xc3\xa1"
                                                                                        "b\xc2",
                                                                                        11});
  CHECK(to_bytes(Colour::green) == "\1");
  CHECK(encode_kind(std::variant<Unknown, Other>{Other{}}) == std::string{"\x92\xa5other\xde\0\0", 10});
}

TEST_CASE("builds that differ by a member understand each other") {
  const auto newer = from_bytes<Later>(to_bytes(sample()));
  REQUIRE(newer);
  CHECK(newer->text == sample().text);
  CHECK(newer->small == INT64_MIN);
  CHECK(newer->more == std::vector<std::string>{"default"});
  const auto older = from_bytes<Inner>(to_bytes(Later{{"x", "y"}, 5, "text"}));
  REQUIRE(older);
  CHECK(older->number == 7);
}

TEST_CASE("one of several kinds is known by its name, and a kind that is not known is no damage") {
  using Kinds = std::variant<Unknown, Sample, Other>;
  const auto read = decode_kind<Kinds>(encode_kind(Kinds{sample()}));
  REQUIRE(read);
  CHECK(std::get<Sample>(*read).large == UINT64_MAX);
  CHECK(std::holds_alternative<Other>(*decode_kind<Kinds>(encode_kind(Kinds{Other{}}))));
  using Fewer = std::variant<Unknown, Other>;
  const auto unknown = decode_kind<Fewer>(encode_kind(Kinds{sample()}));
  REQUIRE(unknown);
  CHECK(std::get<Unknown>(*unknown).kind == "sample");
}

TEST_CASE("what is cut off, goes on, or is of another type is damage") {
  const auto whole = to_bytes(sample());
  for (std::size_t length = 0; length < whole.size(); length += length < 300 ? 1 : 977) CHECK_FALSE(from_bytes<Sample>(whole.substr(0, length)));
  CHECK_FALSE(from_bytes<Sample>(whole + "x"));
  CHECK_FALSE(from_bytes<Inner>("\x81\xa4name\x07"));  // a number where a text belongs
  CHECK_FALSE(from_bytes<Inner>("\x81\xa6number\xa1x"));
  CHECK_FALSE(
      from_bytes<Sample>("\x81\xa6"
                         "colour\x02"));  // there are two
  CHECK_FALSE(
      from_bytes<Sample>(std::string_view{"\x81\xa5"
                                          "large\xff",
                                          8}));  // negative
  CHECK_FALSE(from_bytes<Sample>("\x81\xa4json\xa1{"));
  for (std::size_t at = 0; at < whole.size(); at += at < 300 ? 1 : 977) {
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x80);
    static_cast<void>(from_bytes<Sample>(changed));  // anything but a crash
  }
}

TEST_CASE("sizes that are only claimed take no memory, and many small elements no more than a message may") {
  const auto list_of = [](const std::string& elements, const char* count) {
    return std::string{"\x81\xa4list\xdd"} + std::string{count, 4} + elements;
  };
  CHECK_FALSE(from_bytes<Sample>(list_of({}, "\xff\xff\xff\xff")));
  std::vector<Inner> claimed;
  const auto thousand = std::string{"\xdd\0\0\3\xe8", 5} + std::string(20, '\x80');
  Reader reader{thousand};
  reader.value(claimed);
  CHECK(reader.failed());
  CHECK(claimed.capacity() == 0);
  std::string empties(1U << 20U, '\x80');
  CHECK_FALSE(from_bytes<Sample>(list_of(empties, "\0\x10\0\0")));  // a million structs of 40 bytes in a MiB
  std::string deep(1U << 20U, '\x91');
  CHECK_FALSE(from_bytes<Inner>("\x81\xa4what" + deep));  // passed over without going down
  CHECK_FALSE(from_bytes<Sample>("\x81\xa4json\xdb" + std::string{"\0\x01\0\0", 4} + std::string(65'536, '[')));
}

}  // namespace catena::codec::test
