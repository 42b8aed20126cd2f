// Builtins over the file store: put_file, delete_file, delete_directory, list_directory, describe_file, list_file_versions,
// describe_file_version, combine_content.
#include <fmt/format.h>

#include <optional>

#include "lang/expr/eval_text.hpp"
#include "lang/file/file_value.hpp"
#include "lang/template/text_template.hpp"
#include "worker/executors/arguments.hpp"
#include "worker/executors/builtin_functions.hpp"
#include "worker/executors/core_support.hpp"

namespace catena::worker::builtin {
namespace {

constexpr std::int64_t kListedMax = 10'000;
constexpr std::size_t kPartsMax = 10'000;

Json attributes(const lang::FileVersion& version) {
  auto json = lang::to_json(version);
  json["parent_directory"] = lang::directory_of(version.path);
  return json;
}

/// What a header sees of a part that is no file.
Json attributes_of_none() {
  auto none = attributes({});
  for (auto& value : none) value = nullptr;
  return none;
}

/// A path argument and the store to use it on.
struct Stored {
  lang::FileStore* store;
  std::string path;
};
Result<Stored> stored(const Arguments& arguments, std::string_view argument, const BuiltinContext& around) {
  const auto store = file_store(arguments, argument, around);
  if (!store) return fail(store.error());
  auto given = arguments.string(argument);
  if (!given) return fail(given.error());
  auto path = lang::normal_file_path(*given);
  if (!path) return fail(of_argument(arguments, argument, std::move(path.error())));
  return Stored{*store, std::move(*path)};
}

/// Text stays as it is; any other value is written as JSON.
Result<std::string> content_of(const Arguments& arguments) {
  const auto given = arguments.find("content");
  if (!given) return fail(arguments.error(Code::argument_missing, "content", "is missing; give a text, or a value that is to be written as JSON"));
  if (given->kind() == lang::JsonKind::string) return given->string();
  constexpr int kIndent = 2;
  return given->parse().dump(kIndent) + "\n";
}

/// Joins parts; the header of one can name its index and, of a file, its attributes.
class Combiner {
 public:
  Combiner(const Arguments& arguments, const BuiltinContext& around, std::optional<lang::TextTemplate> header, std::string separator)
      : arguments_{arguments}, around_{around}, header_{std::move(header)}, separator_{std::move(separator)} {}

  Result<void> add_file(std::string_view argument, const std::string& path, const std::string& version_id) {
    const auto store = file_store(arguments_, argument, around_);
    if (!store) return fail(store.error());
    const auto version = (*store)->describe(path, version_id);
    if (!version) return fail(of_argument(arguments_, argument, version.error()));
    // by its id, so that the header tells of the version that is read
    const auto content = read_stored_text(arguments_, argument, version->path, version->version_id, around_);
    if (!content) return fail(content.error());
    return add(argument, *content, attributes(*version));
  }

  Result<void> add_text(std::string_view argument, const std::string& text) { return add(argument, text, attributes_of_none()); }

  /// A part: a text, null (nothing), or an object with `text` or `file_path`.
  Result<void> add_part(std::string_view argument, const Json& part) {
    if (part.is_null()) return {};
    if (part.is_string()) return add_text(argument, part.get_ref<const std::string&>());
    if (part.is_number() || part.is_boolean()) return add_text(argument, part.dump());
    const auto member = [&](const char* key) {
      const auto found = part.is_object() ? part.find(key) : part.end();
      return found != part.end() && found->is_string() ? std::optional{found->get<std::string>()} : std::nullopt;
    };
    const auto text = member("text");
    const auto path = member("file_path");
    if (text.has_value() == path.has_value()) {
      return fail(arguments_.error(Code::argument_type, argument, "must be a text, or an object with one of text and file_path"));
    }
    return text ? add_text(argument, *text) : add_file(argument, *path, member("version_id").value_or(""));
  }

  [[nodiscard]] lang::JsonText response() && { return lang::to_text(Json{{"count", count_}, {"size", text_.size()}, {"text", std::move(text_)}}); }

 private:
  Result<void> add(std::string_view argument, const std::string& text, Json about) {
    std::string header;
    if (header_) {
      about["index"] = count_ + 1;
      const lang::expr::ObjectVariables names{about};
      auto rendered = header_->render({.variables = names, .now = around_.options.clock->now()});
      if (!rendered) return fail(told_whole(std::move(rendered.error())));
      header = std::move(*rendered);
    }
    if (text_.size() + separator_.size() + header.size() + text.size() > around_.options.output_bytes_max) {
      return fail(Code::tool_output_too_large,
                  fmt::format("builtin 'combine_content': with {} the text is over {} bytes", argument, around_.options.output_bytes_max));
    }
    if (count_ > 0) text_ += separator_;
    text_ += header;
    text_ += text;
    ++count_;
    return {};
  }

  const Arguments& arguments_;
  const BuiltinContext& around_;
  std::optional<lang::TextTemplate> header_;
  std::string separator_;
  std::string text_;
  std::uint64_t count_ = 0;
};

Result<Json> list_of(const Arguments& arguments, std::string_view argument) {
  const auto given = arguments.optional(argument, lang::JsonKind::list);
  if (!given) return fail(given.error());
  if (!*given) return Json::array();
  if ((*given)->size() > kPartsMax) {
    return fail(arguments.error(Code::field_value, argument, fmt::format("has {} elements; at most {} are allowed", (*given)->size(), kPartsMax)));
  }
  return (*given)->parse();
}

}  // namespace

Result<lang::JsonText> put_file(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto to = stored(arguments, "file_path", around);
  if (!to) return fail(to.error());
  auto content = content_of(arguments);
  if (!content) return fail(content.error());
  auto owner = arguments.string_or("owner", "");
  if (!owner) return fail(owner.error());
  auto group = arguments.string_or("group", "");
  if (!group) return fail(group.error());
  const auto metadata = arguments.optional("metadata", lang::JsonKind::object);
  if (!metadata) return fail(metadata.error());
  const auto version = to->store->put({.path = to->path,
                                       .content = std::move(*content),
                                       .owner = std::move(*owner),
                                       .group = std::move(*group),
                                       .metadata = *metadata ? (*metadata)->parse() : Json::object(),
                                       .put_by = task.key});
  if (!version) return fail(of_argument(arguments, "file_path", version.error()));
  auto response = attributes(*version);
  response["file"] = version->path;
  return lang::to_text(response);
}

Result<lang::JsonText> delete_file(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto from = stored(arguments, "file_path", around);
  if (!from) return fail(from.error());
  const auto removed = from->store->remove(from->path);
  if (!removed) return fail(of_argument(arguments, "file_path", removed.error()));
  return lang::to_text(Json{{"path", from->path}, {"deleted", *removed}});
}

Result<lang::JsonText> delete_directory(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto from = stored(arguments, "directory_path", around);
  if (!from) return fail(from.error());
  if (from->path == "/") {
    return fail(arguments.error(Code::field_value, "directory_path", "is '/', which is the whole of the file store; name a directory in it"));
  }
  const auto removed = from->store->remove_directory(from->path);
  if (!removed) return fail(of_argument(arguments, "directory_path", removed.error()));
  return lang::to_text(Json{{"path", from->path}, {"deleted_count", *removed}});
}

Result<lang::JsonText> list_directory(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto at = stored(arguments, "directory_path", around);
  if (!at) return fail(at.error());
  const auto pattern = arguments.string_or("pattern", "");
  if (!pattern) return fail(pattern.error());
  const auto limit = arguments.integer_or("limit", 1'000, 1, kListedMax);
  if (!limit) return fail(limit.error());
  // one more than wanted tells whether there are more
  const auto most = static_cast<std::size_t>(*limit);
  auto found = at->store->list(at->path, *pattern, most + 1);
  if (!found) return fail(of_argument(arguments, "directory_path", found.error()));
  const bool truncated = found->size() > most;
  if (truncated) found->resize(most);
  Json files = Json::array();
  for (const auto& version : *found) files.push_back(attributes(version));
  return lang::to_text(Json{{"path", at->path}, {"count", files.size()}, {"truncated", truncated}, {"files", std::move(files)}});
}

Result<lang::JsonText> describe_file(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto of = stored(arguments, "file_path", around);
  if (!of) return fail(of.error());
  const auto version = of->store->describe(of->path, "");
  if (!version) return fail(of_argument(arguments, "file_path", version.error()));
  return lang::to_text(attributes(*version));
}

Result<lang::JsonText> describe_file_version(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto of = stored(arguments, "file_path", around);
  if (!of) return fail(of.error());
  const auto version_id = arguments.string("version_id");
  if (!version_id) return fail(version_id.error());
  const auto version = of->store->describe(of->path, *version_id);
  if (!version)
    return fail(of_argument(arguments, version.error().code == Code::file_version_not_found ? "version_id" : "file_path", version.error()));
  return lang::to_text(attributes(*version));
}

Result<lang::JsonText> list_file_versions(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto of = stored(arguments, "file_path", around);
  if (!of) return fail(of.error());
  const auto found = of->store->versions(of->path);
  if (!found) return fail(of_argument(arguments, "file_path", found.error()));
  Json versions = Json::array();
  for (const auto& version : *found) versions.push_back(attributes(version));
  return lang::to_text(Json{{"path", of->path}, {"count", versions.size()}, {"versions", std::move(versions)}});
}

Result<lang::JsonText> combine_content(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto parts = list_of(arguments, "parts");
  if (!parts) return fail(parts.error());
  const auto paths = list_of(arguments, "file_paths");
  if (!paths) return fail(paths.error());
  auto separator = arguments.string_or("separator", "\n");
  if (!separator) return fail(separator.error());
  const auto form = arguments.optional("header", lang::JsonKind::string);
  if (!form) return fail(form.error());
  std::optional<lang::TextTemplate> header;
  if (*form) {
    auto parsed = lang::TextTemplate::parse((*form)->string(), "header");
    if (!parsed) return fail(told_whole(std::move(parsed.error())));
    header = std::move(*parsed);
  }
  Combiner combiner{arguments, around, std::move(header), std::move(*separator)};
  for (std::size_t index = 0; index < parts->size(); ++index) {
    if (auto added = combiner.add_part(fmt::format("parts[{}]", index), (*parts)[index]); !added) return fail(std::move(added.error()));
  }
  for (std::size_t index = 0; index < paths->size(); ++index) {
    const auto name = fmt::format("file_paths[{}]", index);
    const auto& path = (*paths)[index];
    if (path.is_null()) continue;
    if (!path.is_string()) return fail(arguments.error(Code::argument_type, name, "must be the path of a file in the file store"));
    if (auto added = combiner.add_file(name, path.get_ref<const std::string&>(), ""); !added) return fail(std::move(added.error()));
  }
  return std::move(combiner).response();
}

}  // namespace catena::worker::builtin
