#include "lang/document/yaml_document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include "base/limits.hpp"
#include "base/yaml_flow.hpp"
#include "lang/document/json_sax.hpp"
#include "lang/document/yaml_scalar.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

/// One step of the parser. Aliases stand unexpanded here, so the list is never longer than the document.
struct Event {
  enum class Kind { null, scalar, alias, list, object, end } kind = Kind::null;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::size_t target = 0;  // of an alias: the event of its anchor
  std::string tag;
  std::string value;
};

/// Leaves yaml-cpp's parser from inside a callback; caught where the parser is called.
struct Refused {
  Error error;
};

Place place_of_mark(const YAML::Mark& mark, std::string_view file) {
  if (mark.line < 0 || mark.column < 0) return Place{std::string{file}, 0, 0};
  return Place{std::string{file}, static_cast<std::uint32_t>(mark.line) + 1, static_cast<std::uint32_t>(mark.column) + 1};
}

/// yaml-cpp writes the escapes \_ and \N as one byte each, which is no UTF-8. What else it makes is, so such a byte is never part of a character.
std::string with_whole_escapes(std::string_view value) {
  std::string whole;
  for (auto bad = find_invalid_utf8(value); bad && (value[*bad] == '\xA0' || value[*bad] == '\x85'); bad = find_invalid_utf8(value)) {
    whole += value.substr(0, *bad);
    whole += '\xC2';
    whole += value[*bad];
    value.remove_prefix(*bad + 1);
  }
  return whole.append(value);
}

/// Records the events of one document. Containers over the nesting limit are refused before the parser goes down into them.
class Recorder : public YAML::EventHandler {
 public:
  explicit Recorder(std::string_view file) : file_{file} {}

  std::vector<Event> events;

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { record(Event::Kind::null, mark, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    auto& event = record(Event::Kind::scalar, mark, anchor);
    event.tag = tag;
    event.value = with_whole_escapes(value);
    if (find_invalid_utf8(event.value)) refuse(Code::not_utf8, "an escape in the text is no character", mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) refuse(Code::yaml_syntax, "the alias names no anchor that stands before it", mark);
    if (std::ranges::find(open_, target->second) != open_.end()) refuse(Code::yaml_syntax, "the alias stands inside its own anchor", mark);
    record(Event::Kind::alias, mark, 0).target = target->second;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value /*style*/) override {
    open(Event::Kind::list, "seq", mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value /*style*/) override {
    open(Event::Kind::object, "map", mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  Event& record(Event::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = events.size();
    const auto place = place_of_mark(mark, {});
    events.push_back(Event{kind, place.line, place.column, 0, {}, {}});
    return events.back();
  }

  void open(Event::Kind kind, std::string_view core_name, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (open_.size() >= static_cast<std::size_t>(limits::kNestingMax)) {
      refuse(Code::nesting_too_deep, fmt::format("values nest deeper than {} levels", limits::kNestingMax), mark);
    }
    const bool known = tag.empty() || tag == "?" || tag == "!" || (tag.starts_with(kCoreTag) && tag.substr(kCoreTag.size()) == core_name);
    if (!known) refuse(Code::yaml_syntax, fmt::format("the tag '{}' has no meaning here; remove it", tag), mark);
    open_.push_back(events.size());
    record(kind, mark, anchor);
  }

  void close() {
    open_.pop_back();
    events.push_back(Event{Event::Kind::end, 0, 0, 0, {}, {}});
  }

  [[noreturn]] void refuse(Code code, std::string message, const YAML::Mark& mark) const {
    throw Refused{make_error(code, std::move(message), place_of_mark(mark, file_))};
  }

  std::string_view file_;
  std::map<YAML::anchor_t, std::size_t> anchors_;
  std::vector<std::size_t> open_;
};

/// Refuses whatever follows the first document.
class SecondDocument : public Recorder {
 public:
  explicit SecondDocument(std::string_view file) : Recorder{file}, file_{file} {}
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw Refused{
        make_error(Code::yaml_syntax, "the file has several YAML documents; keep one and remove what follows '---'", place_of_mark(mark, file_))};
  }

 private:
  std::string_view file_;
};

/// Makes the tree of recorded events, following aliases. Recursion is bounded by the nesting limit.
class Builder {
 public:
  Builder(const std::vector<Event>& events, std::string_view file) : events_{events}, file_{file} {}

  /// The node that begins at `at`; afterwards `at` is behind it.
  Result<Node> node(std::size_t& at, int depth) {
    const auto& event = events_[at++];
    if (auto paid = pay(event); !paid) return fail(std::move(paid.error()));
    Node made;
    made.where = where(event);
    switch (event.kind) {
      case Event::Kind::null:
      case Event::Kind::end: return made;
      case Event::Kind::scalar: return scalar(event);
      case Event::Kind::alias: return alias(event, depth);
      case Event::Kind::list:
      case Event::Kind::object: break;
    }
    if (depth >= limits::kNestingMax) {
      return fail(Code::nesting_too_deep, fmt::format("values nest deeper than {} levels once aliases are expanded", limits::kNestingMax),
                  made.where);
    }
    auto filled = event.kind == Event::Kind::list ? list(made, at, depth + 1) : object(made, at, depth + 1);
    if (!filled) return fail(std::move(filled.error()));
    return made;
  }

 private:
  [[nodiscard]] Place where(const Event& event) const { return Place{std::string{file_}, event.line, event.column}; }

  /// What comes in through aliases has a budget; the document itself is bounded already.
  Result<void> pay(const Event& event) {
    constexpr std::size_t kNodeCost = 8;  // the tree costs more than the text, so that empty values are not free
    if (aliases_ == 0) return {};
    expanded_ += event.value.size() + kNodeCost;
    if (expanded_ <= limits::kDocumentBytesMax) return {};
    return fail(Code::document_too_large,
                fmt::format("the aliases of the document expand to more than {} bytes; use fewer", limits::kDocumentBytesMax), where(event));
  }

  Result<Node> alias(const Event& event, int depth) {
    ++aliases_;
    auto at = event.target;
    auto made = node(at, depth);
    --aliases_;
    if (made) made->where = where(event);
    return made;
  }

  Result<void> list(Node& made, std::size_t& at, int depth) {
    made.kind = JsonKind::list;
    while (events_[at].kind != Event::Kind::end) {
      auto item = node(at, depth);
      if (!item) return fail(std::move(item.error()));
      made.items.push_back(std::move(*item));
    }
    ++at;
    return {};
  }

  Result<void> object(Node& made, std::size_t& at, int depth) {
    made.kind = JsonKind::object;
    OpenKeys keys;
    keys.open();
    std::vector<Member> merged;
    while (events_[at].kind != Event::Kind::end) {
      const bool merge = is_merge_key(events_[at]);
      auto key = node(at, depth);
      if (!key) return fail(std::move(key.error()));
      if (key->kind != JsonKind::string) {
        return fail(Code::yaml_syntax, fmt::format("a key is a {}; keys are strings: quote it", name(key->kind)), key->where);
      }
      auto text = key->scalar.get<std::string>();
      if (!keys.add(text)) {
        return fail(Code::duplicate_key, fmt::format("the key '{}' stands twice in one object; remove one of them", text), key->where);
      }
      auto value = node(at, depth);
      if (!value) return fail(std::move(value.error()));
      if (merge) {
        if (auto fine = gather(std::move(*value), merged); !fine) return fine;
      } else {
        made.members.push_back(Member{std::move(text), std::move(key->where), std::move(*value)});
      }
    }
    ++at;
    // What the object says itself stands, and of what is merged in the first that says it.
    for (auto& member : merged) {
      if (keys.add(member.key)) made.members.push_back(std::move(member));
    }
    return {};
  }

  /// `<<: *base` brings the members of another object in, `<<: [*a, *b]` those of several.
  [[nodiscard]] static bool is_merge_key(const Event& event) {
    return event.kind == Event::Kind::scalar && event.value == "<<" && (event.tag == "?" || event.tag == "tag:yaml.org,2002:merge");
  }

  static Result<void> gather(Node from, std::vector<Member>& merged) {
    if (from.kind == JsonKind::object) {
      std::ranges::move(from.members, std::back_inserter(merged));
      return {};
    }
    for (auto& item : from.items) {
      if (item.kind != JsonKind::object) return no_objects(item);
      std::ranges::move(item.members, std::back_inserter(merged));
    }
    if (from.kind != JsonKind::list) return no_objects(from);
    return {};
  }

  static Result<void> no_objects(const Node& value) {
    return fail(
        Code::yaml_syntax,
        fmt::format("'<<' brings in the members of an object, or of a list of objects, not of a {}; a key of that name is quoted", name(value.kind)),
        value.where);
  }

  /// "?" marks a plain scalar and "!" a quoted or block one; other tags are written by the author.
  [[nodiscard]] Result<Node> scalar(const Event& event) const {
    Node made;
    made.where = where(event);
    if (is_merge_key(event)) {
      made.kind = JsonKind::string;
      made.scalar = event.value;
      return made;
    }
    const bool core = event.tag.starts_with(kCoreTag);
    const auto type = core ? std::string_view{event.tag}.substr(kCoreTag.size()) : std::string_view{};
    if (event.tag == "!" || type == "str") {
      made.kind = JsonKind::string;
      made.scalar = event.value;
      return made;
    }
    auto value = resolve_plain_scalar(event.value);
    if (!value) {
      value.error().where = made.where;
      return fail(std::move(value.error()));
    }
    const bool fits = event.tag == "?" || (type == "int" && value->is_number_integer()) || (type == "float" && value->is_number()) ||
                      (type == "bool" && value->is_boolean()) || (type == "null" && value->is_null());
    if (!fits) {
      return fail(Code::yaml_syntax, fmt::format("the tag '{}' has no meaning here or does not fit the value; remove it", event.tag), made.where);
    }
    made.scalar = std::move(*value);
    made.kind = JsonView{to_text(made.scalar)}.kind();
    return made;
  }

  const std::vector<Event>& events_;
  std::string_view file_;
  int aliases_ = 0;
  std::size_t expanded_ = 0;
};

/// YAML allows no other control characters; yaml-cpp would take 0x04 for the end of the text.
std::optional<std::size_t> find_control_character(std::string_view text) {
  const auto found = std::ranges::find_if(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
  });
  if (found == text.end()) return std::nullopt;
  return static_cast<std::size_t>(found - text.begin());
}

/// yaml-cpp takes a quoted scalar that is never closed for complete when the text ends with an empty line; before a marker it does not.
std::string with_end_marker(std::string_view text) {
  std::string marked{text};
  const auto last_line = text.substr(text.find_last_of('\n') + 1);
  if (last_line.find_first_not_of(" \t\r") != std::string_view::npos) return marked;
  return marked + (last_line.empty() ? "...\n" : "\n...\n");
}

Result<std::vector<Event>> record(std::string_view text, std::string_view file) {
  try {
    std::istringstream stream{with_end_marker(text)};
    YAML::Parser parser{stream};
    Recorder first{file};
    const bool found = parser.HandleNextDocument(first) && !first.events.empty();
    if (!found || (first.events.size() == 1 && first.events[0].kind == Event::Kind::null)) {
      return fail(Code::yaml_syntax, "the document is empty", Place{std::string{file}, 1, 1});
    }
    SecondDocument second{file};
    parser.HandleNextDocument(second);
    return std::move(first.events);
  } catch (Refused& refused) {
    return fail(std::move(refused.error));
  } catch (const YAML::Exception& error) {
    return fail(Code::yaml_syntax, "not valid YAML: " + error.msg, place_of_mark(error.mark, file));
  } catch (const std::exception& error) {
    return fail(Code::yaml_syntax, fmt::format("the YAML parser gave up: {}", error.what()), Place{std::string{file}, 0, 0});
  }
}

}  // namespace

Result<Node> read_yaml_document(std::string_view text, std::string_view file) {
  if (const auto bad = find_control_character(text)) {
    return fail(Code::yaml_syntax, "a control character, which YAML does not allow; write it as an escape in a quoted string",
                place_at(text, *bad, file));
  }
  if (const auto deep = find_deep_flow(text, kYamlFlowDepthMax)) {
    return fail(Code::nesting_too_deep, fmt::format("values nest deeper than {} levels", limits::kNestingMax), place_at(text, *deep, file));
  }
  const auto events = record(text, file);
  if (!events) return fail(events.error());
  Builder builder{*events, file};
  std::size_t at = 0;
  return builder.node(at, 0);
}

}  // namespace catena::lang
