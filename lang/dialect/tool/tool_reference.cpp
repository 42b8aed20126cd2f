#include "lang/dialect/tool/tool_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "lang/dialect/dialect.hpp"
#include "lang/file/file_attribute.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kOwnResponse = "REF:response";

/// What every step says about itself.
bool is_outcome(std::string_view segment) {
  constexpr std::array<std::string_view, 3> kOutcome{"status", "error", "error_message"};
  return std::ranges::find(kOutcome, segment) != kOutcome.end();
}

bool has_key(const std::vector<std::string>& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

bool is_part_of_list(std::string_view segment) {
  return segment == "length" || segment == "first" || segment == "last" || std::ranges::all_of(segment, is_digit);
}

}  // namespace

std::vector<std::string> field_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields) names.push_back(field.name);
  return names;
}

std::string_view noun(const Definition& definition) {
  const bool agent = definition.dialect != nullptr && definition.dialect->name == kAgentSpelling.dialect;
  return agent ? "agent" : "tool";
}

std::vector<std::string> Names::contexts() const {
  std::vector<std::string> known{"arguments"};
  for (const auto& [id, index] : steps) known.push_back(id);
  return known;
}

Ref ReferenceReader::read(std::string_view text, const Place& where, std::vector<std::string> notes) {
  where_ = where;
  notes_ = std::move(notes);
  Ref ref;
  ref.text = text;
  if (text == kOwnResponse) {  // alone among references, it needs no segment
    if (sees_ == Sees::own_response) {
      ref.root = Root::response;
    } else {
      unknown_context(ref, "response");
    }
    return ref;
  }
  auto parsed = parse_reference(text, where);
  if (parsed) {
    ref.path = std::move(parsed->segments);
    resolve(ref, parsed->context);
  } else {
    refuse(parsed.error().code, std::move(parsed.error().message));
  }
  return ref;
}

void ReferenceReader::refuse(Code code, std::string message) {
  auto error = make_error(code, fmt::format("{}: {}", what_, message), where_);
  error.notes = notes_;
  report_.error(std::move(error));
}

void ReferenceReader::resolve(Ref& ref, std::string_view context) {
  if (context == "arguments") return argument(ref);
  if (context == "response" && sees_ == Sees::own_response) return of_response(ref);
  const auto found = names_.steps.find(context);
  if (found == names_.steps.end()) return unknown_context(ref, context);
  ref.root = Root::step;
  ref.step = found->second;
  if (self_ != found->second) return of_step(ref);
  const auto* hint = sees_ == Sees::own_response ? "; its response is REF:response here" : "";
  refuse(Code::dependency_self, fmt::format("'{}' refers to the step itself, whose result is not known yet{}", ref.text, hint));
}

void ReferenceReader::argument(Ref& ref) {
  ref.root = Root::input;
  const auto& declared = names_.definition.arguments;
  const auto& argument = ref.path.front();
  if (!declared.additional && declared.find(argument) == nullptr) {
    refuse(Code::reference_unknown, fmt::format("'{}': the definition declares no argument '{}'{}", ref.text, argument,
                                                report_.suggestion(argument, [&] { return field_names(declared); })));
  }
  mark_file(ref, 0, declared);
}

void ReferenceReader::unknown_context(const Ref& ref, std::string_view context) {
  if (context == "response") {
    refuse(Code::reference_unknown,
           fmt::format("'{}': 'response' exists only inside transform_responses; name the step, REF:<execution_id>.response", ref.text));
  } else if (names_.definition.arguments.find(context) != nullptr) {
    refuse(Code::reference_unknown, fmt::format("'{}': '{}' is an argument; write REF:arguments.{}", ref.text, context, context));
  } else {
    refuse(Code::reference_unknown,
           fmt::format("'{}': there is no step '{}'{}", ref.text, context, report_.suggestion(context, [&] { return names_.contexts(); })));
  }
}

void ReferenceReader::of_step(Ref& ref) {
  const auto& call = names_.definition.calls[ref.step];
  const auto& added = names_.added[ref.step];
  const auto& key = ref.path.front();
  if (names_.fan_out[ref.step]) {
    if (key == "response") {
      if (call.target != nullptr && ref.path.size() > 2) in_response(ref, 2, *call.target, {});
      return;
    }
    if (is_outcome(key) || has_key(added, key)) return;
    auto known = added;
    known.insert(known.end(), {"response", "status", "error", "error_message"});
    refuse(Code::reference_unknown, fmt::format("'{}': step '{}' is a fan-out, its results are the list REF:{}.response{}; it has: {}", ref.text,
                                                call.id, call.id, report_.suggestion(key, known), fmt::join(known, ", ")));
    return;
  }
  if (call.target == nullptr) return;
  const bool whole = key == "response" && call.target->responses.find("response") == nullptr && !has_key(added, key);
  const std::size_t position = whole ? 1 : 0;
  if (position < ref.path.size()) in_response(ref, position, *call.target, added);
}

void ReferenceReader::of_response(Ref& ref) {
  ref.root = Root::response;
  const auto* target = names_.definition.calls[*self_].target;
  if (!names_.fan_out[*self_]) {
    if (target != nullptr) in_response(ref, 0, *target, {});
    return;
  }
  const auto& segment = ref.path.front();
  if (is_part_of_list(segment)) {
    if (target != nullptr && ref.path.size() > 1) in_response(ref, 1, *target, {});
    return;
  }
  refuse(Code::reference_unknown,
         fmt::format("'{}': of a fan-out, REF:response is the list of responses, which has length, first, last and indices from 0", ref.text));
}

// A tool may return more than it declares, so an undeclared key is no error; one that looks like a declared key probably is a slip.
void ReferenceReader::in_response(Ref& ref, std::size_t position, const Definition& target, const std::vector<std::string>& added) {
  mark_file(ref, position, target.responses);
  const auto& key = ref.path[position];
  const auto& responses = target.responses;
  if (responses.fields.empty() || responses.find(key) != nullptr || has_key(added, key) || is_outcome(key) || key == "response") return;
  auto known = field_names(responses);
  known.insert(known.end(), added.begin(), added.end());
  const auto slip = report_.suggestion(key, known);
  if (slip.empty()) return;
  report_.warn(Code::reference_unknown,
               fmt::format("{}: '{}': {} '{}' declares no response '{}'{}", what_, ref.text, noun(target), target.name, key, slip), where_);
}

void ReferenceReader::mark_file(Ref& ref, std::size_t position, const Schema& schema) {
  const auto* field = schema.find(ref.path[position]);
  if (field == nullptr || field->type != Type::file) return;
  ref.file = FileRef{position + 1, false};
  if (ref.path.size() == position + 1) return;
  const auto& attribute = ref.path[position + 1];
  if (find_file_attribute(attribute) != nullptr) return;
  refuse(Code::reference_unknown, fmt::format("'{}': '{}' is a file, which has no '{}'{}; a file has: {}", ref.text, field->name, attribute,
                                              report_.suggestion(attribute, file_attribute_names()), fmt::join(file_attribute_names(), ", ")));
}

}  // namespace catena::lang
