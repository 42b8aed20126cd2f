#include "lang/package/loader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/dialect/dialect.hpp"
#include "lang/package/definition_name.hpp"
#include "lang/program/endpoint.hpp"

namespace catena::lang {
namespace {

std::string looked_up(std::string_view from, std::string_view written) { return fmt::format("{}\n{}", from, written); }

std::string inline_key(const Definition& parent, const CallSite& call, std::size_t index) {
  return fmt::format("{}#{}", parent.key, call.id.empty() ? std::to_string(index) : call.id);
}

Error placed(Error error, const Place& where) {
  if (error.where.file.empty()) error.where = where;
  return error;
}

}  // namespace

std::optional<std::string> Loader::load(std::string_view path) {
  auto root = find(path, "", {});
  while (!unread_.empty()) {
    const auto key = std::move(unread_.front());
    unread_.pop_front();
    follow_calls(definitions_.at(key));
  }
  // Recursion lets a call come before its target has been read, so targets are filled in when all is.
  for (auto& [key, definition] : definitions_) {
    for (std::size_t index = 0; index < definition.calls.size(); ++index) {
      const auto found = definitions_.find(target_of(definition, index));
      if (found != definitions_.end()) definition.calls[index].target = &found->second;
    }
    if (!definition.wants_binder) continue;
    const auto binder = named_.find(looked_up(definition.file, catalog_.binder));
    const auto found = binder == named_.end() ? definitions_.end() : definitions_.find(binder->second);
    if (found != definitions_.end()) definition.binder = &found->second;
  }
  return root;
}

/// Empty: nothing was found.
std::string Loader::target_of(const Definition& definition, std::size_t index) const {
  const auto& call = definition.calls[index];
  if (call.inlined != nullptr) return inline_key(definition, call, index);
  const auto found_in = [&](const Lookup& lookup, const std::string& written) {
    const auto found = lookup.find(looked_up(definition.file, written));
    return found == lookup.end() ? std::string{} : found->second;
  };
  if (call.path) return found_in(resolved_, *call.path);
  return call.tool ? found_in(named_, *call.tool) : std::string{};
}

std::optional<std::string> Loader::find(std::string_view path, const std::string& from, const Place& where) {
  const auto lookup = looked_up(from, path);
  if (const auto known = resolved_.find(lookup); known != resolved_.end()) return known->second;
  auto source = finder_.definition(path, from);
  if (!source) {
    if (report_.is_probe(path)) static_cast<void>(report_.offer(finder_.paths()));
    report_.error(placed(std::move(source.error()), where));
    return std::nullopt;
  }
  return resolved_.emplace(lookup, keep(std::move(*source))).first->second;
}

std::optional<std::string> Loader::find_named(std::string_view name, const std::string& from, const Place& where) {
  const auto lookup = looked_up(from, name);
  if (const auto known = named_.find(lookup); known != named_.end()) return known->second;
  auto source = finder_.named(name, from);
  if (!source) {
    if (report_.is_probe(name)) static_cast<void>(report_.offer(finder_.names()));
    report_.error(placed(std::move(source.error()), where));
    return std::nullopt;
  }
  return named_.emplace(lookup, keep(std::move(*source))).first->second;
}

std::string Loader::keep(Source source) {
  auto key = source.key;
  if (!texts_.contains(key)) read_source(std::move(source));
  return key;
}

void Loader::read_source(Source source) {
  const auto& key = source.key;
  report_.begin_document(key);
  const auto& text = texts_.emplace(key, std::move(source.text)).first->second;
  auto document = read_document(text, key);
  if (!document) {
    report_.error(placed(std::move(document.error()), Place{key}));
    return;
  }
  const auto& kept = documents_.emplace(key, std::move(*document)).first->second;
  read(kept, key, key, file_stem(key));
}

void Loader::read(const Node& document, const std::string& key, const std::string& file, const std::string& default_name) {
  const auto dialect = recognise(document);
  if (!dialect) {
    report_.error(dialect.error());
    return;
  }
  auto definition = (*dialect)->read(document, report_);
  definition.dialect = *dialect;
  definition.key = key;
  definition.file = file;
  if (definition.name.empty()) definition.name = default_name;
  definition.names_its_step = catalog_.steps_named_by_tool;
  check_endpoint(definition);
  definitions_.emplace(key, std::move(definition));
  unread_.push_back(key);
}

void Loader::follow_calls(Definition& definition) {
  for (std::size_t index = 0; index < definition.calls.size(); ++index) {
    const auto& call = definition.calls[index];
    if (call.inlined != nullptr) {
      auto key = inline_key(definition, call, index);
      if (definitions_.contains(key)) continue;  // two steps share an id, which is reported
      read(*call.inlined, key, definition.file, call.id);
    }
    if (call.path) static_cast<void>(find(*call.path, definition.file, call.where));
    if (call.tool) static_cast<void>(find_named(*call.tool, definition.file, call.where));
  }
  if (definition.wants_binder && !catalog_.binder.empty()) find_binder(definition);
}

void Loader::find_binder(const Definition& plan) {
  const auto& name = catalog_.binder;
  if (named_.contains(looked_up(plan.file, name))) return;
  auto source = finder_.named(name, plan.file);
  if (source) {
    named_.emplace(looked_up(plan.file, name), keep(std::move(*source)));
    return;
  }
  auto error = placed(std::move(source.error()), plan.document->where);
  error.message = fmt::format("the binder of plans (the setting plan.binder is '{}'): {}", name, error.message);
  report_.error(std::move(error));
}

void Loader::check_endpoint(Definition& definition) {
  if (!definition.endpoint_text) return;
  const auto& where = definition.endpoint_where;
  auto endpoint = endpoint_of(*definition.endpoint_text, where);
  if (!endpoint) return report_.error(std::move(endpoint.error()));
  const auto announced = [](const std::vector<std::string>& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  if (endpoint->kind == "builtin" && !announced(catalog_.builtins, endpoint->target)) {
    report_.error(Code::builtin_unknown,
                  fmt::format("there is no builtin '{}'{}", endpoint->target, report_.suggestion(endpoint->target, catalog_.builtins)), where);
  }
  if (endpoint->kind == "remote" && !announced(catalog_.capabilities, endpoint->target)) {
    // another machine's worker may announce it
    report_.warn(Code::capability_unknown,
                 fmt::format("no worker here announces the capability '{}'; {}", endpoint->target,
                             catalog_.capabilities.empty() ? "worker.capabilities of the configuration announces none"
                                                           : fmt::format("announced are: {}", fmt::join(catalog_.capabilities, ", "))),
                 where);
  }
  if (runs_program(*endpoint)) {
    auto program = finder_.program(endpoint->target, definition.file);
    if (!program) return report_.error(placed(std::move(program.error()), where));
    programs_.emplace(looked_up(definition.file, endpoint->target), *program);
    endpoint->target = std::move(*program);
    endpoint->from = definition.file;
    endpoint->files = definition.files;
  }
  definition.endpoint = std::move(*endpoint);
}

/// What the text means: itself, or what the catalog maps it to.
Result<Endpoint> Loader::endpoint_of(const std::string& text, const Place& where) {
  if (is_own_form(text)) return parse_endpoint(text, where);
  if (const auto mapped = catalog_.endpoints.find(text)) {
    mapped_.emplace(text, *mapped);
    auto endpoint = resolve(*mapped, where);
    if (!endpoint) endpoint.error().message = fmt::format("'{}' is mapped to '{}': {}", text, mapped->to, endpoint.error().message);
    return endpoint;
  }
  auto endpoint = parse_endpoint(text, where);
  if (endpoint || endpoint.error().code != Code::endpoint_unmapped) return endpoint;
  auto& error = endpoint.error();
  error.message = fmt::format("the configuration maps the endpoint '{}' to nothing{}", text, report_.suggestion(text, catalog_.endpoints.keys()));
  error.notes.push_back(
      fmt::format("map it under `endpoints:` of the configuration, for example {}: \"http://127.0.0.1:8080/tool\"", Json(text).dump()));
  return endpoint;
}

Json Loader::manifest(const std::string& root) const {
  Lookup resolved = resolved_;
  // The path by which the root was asked for is no part of what is pinned.
  std::erase_if(resolved, [](const auto& entry) { return entry.first.starts_with('\n'); });
  Json json{{"format", 1}, {"root", root}, {"definitions", texts_}, {"resolved", std::move(resolved)}, {"programs", programs_}};
  if (!named_.empty()) json["named"] = named_;
  if (definitions_.at(root).primitive && catalog_.steps_named_by_tool) json["steps_named_by_tool"] = true;
  if (std::ranges::any_of(definitions_, [](const auto& entry) { return entry.second.binder != nullptr; })) json["binder"] = catalog_.binder;
  for (const auto& [form, mapped] : mapped_) json["endpoints"][form] = Json{{"to", mapped.to}, {"name", mapped.name}};
  return json;
}

}  // namespace catena::lang
