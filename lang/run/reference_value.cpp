#include "lang/run/reference_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "base/characters.hpp"
#include "base/suggest.hpp"
#include "lang/file/file_value.hpp"
#include "lang/run/evaluate.hpp"

namespace catena::lang {
namespace {

using Segments = std::span<const std::string>;

constexpr std::string_view kNullText = "null";

/// One key of a step that is not its response's.
enum class Own { status, error, error_message };

std::optional<Own> own_key(std::string_view segment) {
  if (segment == "status") return Own::status;
  if (segment == "error") return Own::error;
  if (segment == "error_message") return Own::error_message;
  return std::nullopt;
}

std::optional<std::size_t> index_of(std::string_view segment) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(segment.data(), segment.data() + segment.size(), index);
  if (error != std::errc{} || end != segment.data() + segment.size()) return std::nullopt;
  return index;
}

/// The keys of an object, for messages; not more than a person reads.
std::vector<std::string> keys_of(JsonView object) {
  constexpr std::size_t kShown = 30;
  std::vector<std::string> keys;
  object.for_each_member([&](std::string_view key, JsonView) {
    keys.emplace_back(key);
    return keys.size() < kShown;
  });
  return keys;
}

std::string list_of_names(const std::vector<std::string>& names) { return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", ")); }

class Resolver {
 public:
  Resolver(const Ref& ref, Segments path, const Place& where, const Program& program, const Scope& scope, std::string& out)
      : ref_{ref}, path_{path}, where_{where}, program_{program}, scope_{scope}, out_{out} {}

  Result<void> resolve() {
    if (ref_.file && path_.size() >= ref_.file->segments) return file(*ref_.file);
    return value();
  }

 private:
  Result<void> value() {
    switch (ref_.root) {
      case Root::step: return step(scope_.step(ref_.step));
      case Root::input: return inside(scope_.input());
      case Root::state: return state();
      case Root::response: return declared(scope_.local(Root::response), "the response");
      case Root::item:
      case Root::context: return inside(scope_.local(ref_.root));
    }
    return {};
  }

  Result<void> state() {
    if (path_.empty()) {
      auto all = evaluate(Expr{StateOf{}, where_}, program_, scope_);
      return all ? put(all->text) : fail(all.error());
    }
    const auto value = scope_.variable(path_.front());
    if (!value) return fail(value.error());
    if (*value) return walk(JsonView{**value}, path_.subspan(1));
    const auto names = scope_.variable_names();
    return unresolved(
        fmt::format("the chain's state has no '{}'{}; it has: {}", path_.front(), did_you_mean(path_.front(), names), list_of_names(names)));
  }

  /// What leads to a file gives its path.
  Result<void> file(const FileRef& file) {
    std::string found;
    auto led = Resolver{ref_, path_.first(file.segments), where_, program_, scope_, found}.value();
    if (!led) return led;
    const JsonView path{found};
    const auto rest = path_.subspan(file.segments);
    if (path.is_null() || (rest.empty() && file.stays_a_path)) return put(found);
    if (path.kind() != JsonKind::string) {
      return unresolved(fmt::format("'{}' is declared a file, and is a {} instead of a path", path_[file.segments - 1], name(path.kind())));
    }
    if (rest.empty()) return content(path.string());
    const auto* row = find_file_attribute(rest.front());
    if (row == nullptr) return unresolved(fmt::format("a file has no '{}'; it has: {}", rest.front(), list_of_names(file_attribute_names())));
    const auto told = file_attribute(path.string(), row->attribute, scope_.files());
    if (!told) return of_file(told.error());
    const auto text = to_text(*told);
    return walk(JsonView{text}, rest.subspan(1));
  }

  Result<void> content(const std::string& path) {
    const auto text = file_text(path, "", scope_.files());
    if (!text) return of_file(text.error());
    return put(to_text(Json(*text)).text);
  }

  Result<void> of_file(Error error) {
    const auto* hint = error.code == Code::file_not_text ? "; its path is " : "";
    error.message = fmt::format("the reference '{}': {}{}{}", ref_.text, error.message, hint, *hint == 0 ? "" : ref_.text + ".path");
    error.where = where_;
    return fail(std::move(error));
  }

  Result<void> inside(const Result<JsonText>& value) {
    if (!value) return fail(value.error());
    return walk(JsonView{*value}, path_);
  }

  /// A value whose first key has to be there.
  Result<void> declared(const Result<JsonText>& value, std::string_view what) {
    if (!value) return fail(value.error());
    return top_key(JsonView{*value}, path_, what);
  }

  Result<void> top_key(JsonView object, Segments path, std::string_view what) {
    if (path.empty() || object.kind() != JsonKind::object) return walk(object, path);
    const auto value = object.find(path.front());
    if (value) return walk(*value, path.subspan(1));
    const auto keys = keys_of(object);
    return unresolved(fmt::format("{} has no '{}'{}; it has: {}", what, path.front(), did_you_mean(path.front(), keys), list_of_names(keys)));
  }

  Result<void> step(const StepView& step) {
    switch (step.status()) {
      case StepStatus::unsettled:
        return fail(Code::internal, fmt::format("the reference '{}' was evaluated before its step was settled", ref_.text), where_);
      case StepStatus::skipped:
      case StepStatus::failed:
      case StepStatus::cancelled: return own(step, path_);
      case StepStatus::completed: break;
    }
    return step.is_fan_out() ? fan_out(step, path_) : plain(step);
  }

  /// What a step says about itself; everything else of a step without a response is null.
  Result<void> own(const StepView& step, Segments path) {
    if (path.size() > 1 && path.front() == "response") path = path.subspan(1);
    const auto key = path.empty() ? std::nullopt : own_key(path.front());
    if (!key) return put(kNullText);
    return own(step, *key, path.subspan(1));
  }

  Result<void> own(const StepView& step, Own key, Segments rest) {
    if (key == Own::status) return walk(JsonView{to_text(Json(name(step.status())))}, rest);
    auto error = step.error();
    if (key == Own::error) return walk(JsonView{to_text(error)}, rest);
    const auto message = error.is_object() ? error.find("message") : error.end();
    return walk(JsonView{to_text(message == error.end() ? Json(nullptr) : *message)}, rest);
  }

  Result<void> plain(const StepView& step) {
    const auto response = step.response();
    if (!response) return fail(response.error());
    const JsonView view{*response};
    Segments path = path_;
    if (path.empty()) return put(view.text());
    if (ref_.lenient) return walk(view, path);  // what the response lacks is null, not a word of the step's own
    if (path.front() == "response" && !view.find("response")) {
      path = path.subspan(1);
      if (path.empty()) return put(view.text());
    }
    if (const auto key = own_key(path.front()); key && !view.find(path.front())) return own(step, *key, path.subspan(1));
    return top_key(view, path, "the response");
  }

  /// The list stands in storage an item at a time; only what is asked for is read.
  Result<void> fan_out(const StepView& step, Segments path) {
    if (path.empty() || (path.size() == 1 && path.front() == "response")) return step.append_items(out_);
    if (path.front() != "response" && adds(path.front())) return added(step, path);
    if (const auto key = own_key(path.front())) return own(step, *key, path.subspan(1));
    if (path.front() != "response") {
      return unresolved(fmt::format("a fan-out has no '{}'; it has: response, status, error, error_message", path.front()));
    }
    const auto& segment = path[1];
    const auto rest = path.subspan(2);
    if (segment == "length") return walk(JsonView{std::to_string(step.width())}, rest);
    const auto index = list_index(segment, step.width());
    if (!index) return fail(index.error());
    if (!*index) return put(kNullText);
    const auto item = step.item(static_cast<std::uint32_t>(**index));
    if (!item) return fail(item.error());
    return walk(JsonView{*item}, rest);
  }

  /// transform_responses of the fan-out sets that key.
  [[nodiscard]] bool adds(std::string_view key) const {
    const auto& shape = program_.steps[ref_.step].shape;
    return shape && std::ranges::any_of(shape->results, [key](const auto& result) { return result.key.front() == key; });
  }

  Result<void> added(const StepView& step, Segments path) {
    const auto keys = step.added();
    if (!keys) return fail(keys.error());
    return top_key(JsonView{*keys}, path, "what the fan-out's transform_responses made");
  }

  Result<void> walk(JsonView value, Segments path) {
    for (; !path.empty(); path = path.subspan(1)) {
      const auto& segment = path.front();
      switch (value.kind()) {
        case JsonKind::null: return put(kNullText);
        case JsonKind::object: {
          const auto member = value.find(segment);
          if (!member) return put(kNullText);
          value = *member;
          break;
        }
        case JsonKind::list: {
          if (segment == "length") return length(value, path.subspan(1));
          const auto index = list_index(segment, value.size());
          if (!index) return fail(index.error());
          const auto element = *index ? value.at(**index) : std::nullopt;
          if (!element) return put(kNullText);
          value = *element;
          break;
        }
        case JsonKind::string:
          if (segment == "length") return length(value, path.subspan(1));
          return scalar(value, segment);
        case JsonKind::boolean:
        case JsonKind::number: return scalar(value, segment);
      }
    }
    return put(value.text());
  }

  Result<void> length(JsonView value, Segments rest) {
    const auto text = std::to_string(value.size());
    return walk(JsonView{text}, rest);
  }

  /// Which element a segment means; nothing for `first` and `last` of an empty list.
  Result<std::optional<std::size_t>> list_index(std::string_view segment, std::size_t size) {
    if (segment == "first" || segment == "last") {
      if (size == 0) return std::nullopt;
      return segment == "first" ? 0 : size - 1;
    }
    const auto index = index_of(segment);
    if (index && *index < size) return *index;
    if (is_digits(segment)) return fail(unresolved(fmt::format("the index {} is out of range: the list has {} elements", segment, size)).error());
    return fail(unresolved(fmt::format("'{}' is no part of a list; a list has length, first, last and indices from 0", segment)).error());
  }

  Result<void> scalar(JsonView value, std::string_view segment) {
    const auto hint = value.kind() == JsonKind::string ? "; a string has only length" : "";
    return unresolved(fmt::format("'{}' is asked of a {}, which has no parts{}", segment, name(value.kind()), hint));
  }

  Result<void> put(std::string_view text) {
    out_ += text;
    return {};
  }

  [[nodiscard]] Result<void> unresolved(std::string_view why) const {
    const auto step = ref_.root == Root::step ? fmt::format(" of step '{}'", step_id()) : std::string{};
    return fail(Code::reference_unresolved, fmt::format("the reference '{}'{} found nothing: {}", ref_.text, step, why), where_);
  }

  [[nodiscard]] std::string_view step_id() const { return program_.steps[ref_.step].id; }

  const Ref& ref_;
  Segments path_;  // of the reference, or what of it leads to a file
  const Place& where_;
  const Program& program_;
  const Scope& scope_;
  std::string& out_;
};

}  // namespace

Result<void> append_reference(const Ref& ref, const Place& where, const Program& program, const Scope& scope, std::string& out) {
  return Resolver{ref, ref.path, where, program, scope, out}.resolve();
}

}  // namespace catena::lang
