#include "actors/file_codec.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "lang/json_text.hpp"

// Names of owners and keys need not be UTF-8, JSON must: all of it is written by dump_lossy.
namespace catena::actors {
namespace {

using What = FileQuestion::What;

struct Row {
  std::string_view name;
  What what;
  bool repeatable;
};
constexpr std::array kCalls{Row{"describe", What::describe, true}, Row{"read", What::read, true},
                            Row{"list", What::list, true},         Row{"versions", What::versions, true},
                            Row{"put", What::put, true},  // who puts has a key, the same for the same
                            Row{"remove", What::remove, false},    Row{"remove_directory", What::remove_directory, false}};

const Row* row_of(std::string_view name) {
  for (const auto& row : kCalls) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// Discarded when it is not JSON, or nests so deep that a walk through it could end the process.
Json parse(std::string_view text) {
  const auto checked = lang::parse_json_text(text);
  return checked ? lang::JsonView{*checked}.parse() : Json(Json::value_t::discarded);
}

/// The body of a request. One level deeper than it stands here: what it says of a file may become an element of an answer's list.
Json parse_body(std::string_view text) {
  auto list = parse(fmt::format("[{}]", text));
  return list.is_array() && list.size() == 1 ? std::move(list[0]) : Json(Json::value_t::discarded);
}

/// Nothing where there is no such member; false in `fits` where it is of another type.
std::string text_member(const Json& object, const char* name, bool& fits) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (!found->is_string()) {
    fits = false;
    return {};
  }
  return found->get<std::string>();
}

template <class Number>
Number number_member(const Json& object, const char* name, bool& fits) {
  const auto found = object.find(name);
  if (found == object.end()) return 0;
  if (!found->is_number_unsigned() && !(found->is_number_integer() && found->template get<std::int64_t>() >= 0)) {
    fits = false;
    return 0;
  }
  return found->template get<Number>();
}

Json to_json_object(const lang::FileVersion& version) {
  return {{"path", version.path},   {"version_id", version.version_id}, {"size", version.size},         {"added_on", version.added_on},
          {"owner", version.owner}, {"group", version.group},           {"metadata", version.metadata}, {"sha256", version.sha256}};
}

std::optional<lang::FileVersion> version_from(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  bool fits = true;
  lang::FileVersion version;
  version.path = text_member(json, "path", fits);
  version.version_id = text_member(json, "version_id", fits);
  version.size = number_member<std::uint64_t>(json, "size", fits);
  version.added_on = number_member<UnixMillis>(json, "added_on", fits);
  version.owner = text_member(json, "owner", fits);
  version.group = text_member(json, "group", fits);
  version.metadata = json.value("metadata", Json::object());
  version.sha256 = text_member(json, "sha256", fits);
  if (!fits || version.path.empty()) return std::nullopt;
  return version;
}

tl::unexpected<Error> unreadable_answer() {
  return fail(Code::connection_failed, "the coordinator's answer about a file cannot be read; it may be of another version");
}

/// The answer's JSON, or the error that was sent.
Result<Json> answer_of(const FileReply& reply) {
  auto json = parse(reply.body);
  if (json.is_discarded()) return unreadable_answer();
  if (reply.ok) return json;
  if (!json.is_object()) return unreadable_answer();
  return fail(error_from_json(json));
}

FileReply reply_json(const Json& json) { return {true, dump_lossy(json), {}}; }

}  // namespace

FileRequest ask_describe(std::string_view path, std::string_view version_id) {
  return {"describe", dump_lossy(Json{{"path", path}, {"version_id", version_id}}), {}};
}

FileRequest ask_read(std::string_view path, std::string_view version_id) {
  return {"read", dump_lossy(Json{{"path", path}, {"version_id", version_id}}), {}};
}

FileRequest ask_list(std::string_view directory, std::string_view pattern, std::size_t most) {
  return {"list", dump_lossy(Json{{"path", directory}, {"pattern", pattern}, {"most", most}}), {}};
}

FileRequest ask_versions(std::string_view path) { return {"versions", dump_lossy(Json{{"path", path}}), {}}; }

FileRequest ask_put(lang::NewFile file) {
  const Json body{{"path", file.path}, {"owner", file.owner}, {"group", file.group}, {"metadata", file.metadata}, {"put_by", file.put_by}};
  return {"put", dump_lossy(body), std::move(file.content)};
}

FileRequest ask_remove(std::string_view path) { return {"remove", dump_lossy(Json{{"path", path}}), {}}; }

FileRequest ask_remove_directory(std::string_view directory) { return {"remove_directory", dump_lossy(Json{{"path", directory}}), {}}; }

Result<lang::FileVersion> answered_version(const FileReply& reply) {
  const auto json = answer_of(reply);
  if (!json) return fail(json.error());
  auto version = version_from(*json);
  if (!version) return unreadable_answer();
  return std::move(*version);
}

Result<std::vector<lang::FileVersion>> answered_versions(const FileReply& reply) {
  const auto json = answer_of(reply);
  if (!json) return fail(json.error());
  if (!json->is_array()) return unreadable_answer();
  std::vector<lang::FileVersion> versions;
  for (const auto& element : *json) {
    auto version = version_from(element);
    if (!version) return unreadable_answer();
    versions.push_back(std::move(*version));
  }
  return versions;
}

Result<std::string> answered_content(FileReply reply) {
  const auto json = answer_of(reply);
  if (!json) return fail(json.error());
  return std::move(reply.content);
}

Result<bool> answered_flag(const FileReply& reply) {
  const auto json = answer_of(reply);
  if (!json) return fail(json.error());
  if (!json->is_boolean()) return unreadable_answer();
  return json->get<bool>();
}

Result<std::uint64_t> answered_count(const FileReply& reply) {
  const auto json = answer_of(reply);
  if (!json) return fail(json.error());
  if (!json->is_number_unsigned()) return unreadable_answer();
  return json->get<std::uint64_t>();
}

Result<FileQuestion> read_request(std::string_view what, std::string_view body, std::string content) {
  const auto* row = row_of(what);
  if (row == nullptr) return fail(Code::argument_type, fmt::format("there is no call '{}' of the file store", dump_lossy(Json(what))));
  const auto json = parse_body(body);
  if (!json.is_object()) return fail(Code::argument_type, fmt::format("the body of the call '{}' is no JSON object", what));
  bool fits = true;
  FileQuestion asked;
  asked.what = row->what;
  asked.path = text_member(json, "path", fits);
  asked.version_id = text_member(json, "version_id", fits);
  asked.pattern = text_member(json, "pattern", fits);
  asked.most = number_member<std::size_t>(json, "most", fits);
  asked.file.owner = text_member(json, "owner", fits);
  asked.file.group = text_member(json, "group", fits);
  asked.file.put_by = text_member(json, "put_by", fits);
  asked.file.metadata = json.value("metadata", Json::object());
  if (!fits || !json.contains("path"))
    return fail(Code::argument_type, fmt::format("the body of the call '{}' lacks a member, or has one of another type", what));
  asked.file.path = asked.path;
  asked.file.content = std::move(content);
  return asked;
}

FileReply reply_error(const Error& error) { return {false, dump_lossy(to_json(error)), {}}; }

FileReply reply_version(const lang::FileVersion& version) { return reply_json(to_json_object(version)); }

FileReply reply_versions(const std::vector<lang::FileVersion>& versions) {
  auto list = Json::array();
  for (const auto& version : versions) list.push_back(to_json_object(version));
  return reply_json(list);
}

FileReply reply_content(std::string content) { return {true, "{}", std::move(content)}; }

FileReply reply_flag(bool flag) { return reply_json(Json(flag)); }

FileReply reply_count(std::uint64_t count) { return reply_json(Json(count)); }

bool may_be_repeated(std::string_view what) {
  const auto* row = row_of(what);
  return row != nullptr && row->repeatable;
}

}  // namespace catena::actors
