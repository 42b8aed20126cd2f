#include <fmt/format.h>

#include "lang/file/file_value.hpp"
#include "lang/fn/families.hpp"

namespace catena::lang::fn {
namespace {

constexpr std::size_t kFilesListed = 50;
constexpr std::size_t kFilesRead = 5;

/// An error of the file store, pointed at the argument it is about.
tl::unexpected<Error> refused(const Invocation& call, const Error& error, std::size_t param) {
  auto made = call.refuse(error.code, error.message, param);
  made.value().notes.insert(made.value().notes.end(), error.notes.begin(), error.notes.end());
  made.value().retryable = error.retryable;
  return made;
}

Result<std::string> text_or_empty(Invocation& call, std::size_t param) {
  const auto got = call.value(param);
  if (!got) return fail(got.error());
  if (got->get().is_null()) return std::string{};
  if (!got->get().is_string()) return call.expected("a string", got->get(), param);
  return got->get().get<std::string>();
}

Result<const FileReader*> store(const Invocation& call) {
  auto reader = reachable(call.files());
  if (!reader) return call.refuse(reader.error().code, reader.error().message, kParamsMax);
  return reader;
}

/// The size is asked for first: memory is charged before it is spent.
Result<std::string> content(Invocation& call, const std::string& path, const std::string& version_id, std::size_t param) {
  const auto reader = store(call);
  if (!reader) return fail(reader.error());
  const auto version = (*reader)->describe(path, version_id);
  if (!version) return refused(call, version.error(), param);
  if (auto paid = call.charge(1 + version->size / 64, version->size * 2); !paid) return fail(paid.error());
  auto text = file_text(path, version->version_id, *reader);
  if (!text) return refused(call, text.error(), param);
  return text;
}

}  // namespace

Result<Value> list_files(Invocation& call) {
  const auto directory = call.text(0);
  if (!directory) return directory;
  const auto pattern = text_or_empty(call, 1);
  if (!pattern) return fail(pattern.error());
  const auto reader = store(call);
  if (!reader) return fail(reader.error());
  const auto& path = directory->get().get_ref<const std::string&>();
  const auto files = (*reader)->list(path, *pattern, kFilesListed + 1);
  if (!files) return refused(call, files.error(), 0);
  Json made = Json::array();
  for (const auto& file : *files) {
    if (made.size() == kFilesListed) {
      call.warn(fmt::format("list_files('{}', '{}') is truncated: there are more than {} files", path, *pattern, kFilesListed));
      break;
    }
    if (auto paid = call.charge(1, bytes_of(file.path)); !paid) return fail(paid.error());
    made.push_back(file.path);
  }
  return Value{std::move(made)};
}

Result<Value> list_file_versions(Invocation& call) {
  const auto path = call.text(0);
  if (!path) return path;
  const auto reader = store(call);
  if (!reader) return fail(reader.error());
  const auto versions = (*reader)->versions(path->get().get_ref<const std::string&>());
  if (!versions) return refused(call, versions.error(), 0);
  Json made = Json::array();
  for (const auto& version : *versions) {
    auto shown = to_json(version);
    if (auto paid = call.charge(steps_of(shown), bytes_of(shown)); !paid) return fail(paid.error());
    made.push_back(std::move(shown));
  }
  return Value{std::move(made)};
}

Result<Value> describe_version(Invocation& call) {
  const auto path = call.text(0);
  if (!path) return path;
  const auto version_id = text_or_empty(call, 1);
  if (!version_id) return fail(version_id.error());
  const auto reader = store(call);
  if (!reader) return fail(reader.error());
  const auto version = (*reader)->describe(path->get().get_ref<const std::string&>(), *version_id);
  if (!version) return refused(call, version.error(), version.error().code == Code::file_version_not_found ? 1 : 0);
  return Value{to_json(*version)};
}

Result<Value> read_file(Invocation& call) {
  const auto path = call.text(0);
  if (!path) return path;
  const auto version_id = text_or_empty(call, 1);
  if (!version_id) return fail(version_id.error());
  auto text = content(call, path->get().get_ref<const std::string&>(), *version_id, 0);
  if (!text) return fail(text.error());
  return Value{std::move(*text)};
}

Result<Value> read_files(Invocation& call) {
  const auto paths = call.list(0);
  if (!paths) return paths;
  if (paths->get().size() > kFilesRead) {
    return call.refuse(Code::expression_value, fmt::format("has {} paths; at most {} files are read in a call", paths->get().size(), kFilesRead), 0);
  }
  Json made = Json::array();
  for (const auto& path : paths->get()) {
    if (!path.is_string()) return call.expected("a list of paths", path, 0);
    auto text = content(call, path.get_ref<const std::string&>(), "", 0);
    if (!text) return fail(text.error());
    made.push_back(std::move(*text));
  }
  return Value{std::move(made)};
}

}  // namespace catena::lang::fn
