// The file store, as `catena fs` has it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "api/fields.hpp"
#include "api/handlers/handlers.hpp"
#include "api/handlers/versions.hpp"
#include "api/preview.hpp"
#include "api/target.hpp"
#include "client/records.hpp"

namespace catena::api {
namespace {

/// Of a content in one answer.
constexpr std::uint64_t kContentBytesMax = 8UL << 20U;

/// The path in the path: "/v1/files/reports%2Fmay.txt" is that of /reports/may.txt.
Outcome<std::string> file_named(const Asked& asked) {
  auto path = lang::normal_file_path("/" + asked.path.at("path"));
  if (!path) return refuse(std::move(path).error());
  return std::move(*path);
}

Outcome<lang::FileVersion> described(const std::string& path, const std::string& version, client::Questions& questions) {
  coordinator::ReadFile probe{.path = path, .version_id = version};
  if (version.empty()) {
    auto found = questions.ask(coordinator::FindFile{.path = path});
    if (!found) return refuse(std::move(found).error());
    if (found->file) return std::move(*found->file);
    // in words that say what may have been meant
    auto piece = questions.ask(probe);
    if (!piece) return refuse(std::move(piece).error());
    return refuse(Code::file_not_found, fmt::format("the file store has no file '{}'", path));
  }
  coordinator::ListFileVersions ask{.path = path};
  do {
    auto page = questions.ask(ask);
    if (!page) return refuse(std::move(page).error());
    for (auto& one : page->files) {
      if (one.version_id == version) return std::move(one);
    }
    ask.cursor = std::move(page->cursor);
  } while (!ask.cursor.empty());
  return refuse(Code::file_version_not_found, fmt::format("the file '{}' has no version {}", path, version));
}

std::optional<std::uint64_t> offset_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

/// Bytes of a content: from <= byte < to.
struct Slice {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  bool asked = false;  // by a range
};

/// "bytes=5-9", "bytes=5-", "bytes=-3". A header that says anything else is passed over, as RFC 9110 has it; a range may be answered in part.
Outcome<Slice> slice_of(std::string_view range, std::uint64_t size) {
  const Slice whole{0, size, false};
  constexpr std::string_view kUnit = "bytes=";
  if (!range.starts_with(kUnit)) return whole;
  range.remove_prefix(kUnit.size());
  const auto dash = range.find('-');
  if (dash == std::string_view::npos || range.find(',') != std::string_view::npos) return whole;
  const auto first = range.substr(0, dash);
  const auto last = range.substr(dash + 1);
  const auto from = offset_in(first);
  const auto to = offset_in(last);
  if ((!first.empty() && !from) || (!last.empty() && !to) || (first.empty() && last.empty())) return whole;
  Slice slice{0, size, true};
  if (first.empty()) {
    slice.from = size - std::min(*to, size);
  } else {
    slice.from = *from;
    if (!last.empty() && *to < *from) return whole;
    if (!last.empty() && *to < size) slice.to = *to + 1;
  }
  if (slice.from >= size) {
    Problem problem{make_error(Code::request_invalid, fmt::format("the file has {} bytes, and the range begins behind them", size))};
    problem.status = 416;
    problem.headers.emplace_back("Content-Range", fmt::format("bytes */{}", size));
    return refuse(std::move(problem));
  }
  slice.to = std::min(slice.to, slice.from + kContentBytesMax);
  return slice;
}

Outcome<std::string> content_within(const lang::FileVersion& file, const Slice& slice, client::Questions& questions) {
  std::string content;
  std::uint64_t piece_bytes = 0;  // of all pieces but the last
  for (std::uint64_t at = slice.from; at < slice.to;) {
    coordinator::ReadFile ask{.path = file.path, .version_id = file.version_id};
    ask.piece = piece_bytes == 0 ? 0 : static_cast<std::uint32_t>(at / piece_bytes);
    auto piece = questions.ask(ask);
    if (!piece) return refuse(std::move(piece).error());
    if (piece_bytes == 0) piece_bytes = std::max<std::uint64_t>(piece->content.size(), 1);
    if (at / piece_bytes != ask.piece) continue;  // the first piece told how large they are
    const auto within = at % piece_bytes;
    if (within >= piece->content.size()) return refuse(Code::storage_corrupt, fmt::format("the content of '{}' ends too early", file.path));
    const auto part = std::string_view{piece->content}.substr(within, slice.to - at);
    content += part;
    at += part.size();
  }
  return content;
}

Json file_page(const coordinator::FilePage& page, const char* member) {
  Json json{{member, Json::array()}};
  for (const auto& file : page.files) json[member].push_back(client::to_json(file));
  if (!page.cursor.empty()) json["cursor"] = hex_text(page.cursor);
  return json;
}

Outcome<std::string> file_cursor_of(const Asked& asked) {
  auto cursor = bytes_of_hex(asked.text("cursor"));
  if (!cursor) return refuse(Code::request_invalid, "the parameter 'cursor' is none that a page named");
  return std::move(*cursor);
}

/// Of a change that is only validated.
Outcome<Json> would_change(const char* what, const std::string& path, const coordinator::ExpectedVersion& expected, client::Questions& questions) {
  const auto found = questions.ask(coordinator::FindFile{.path = path});
  if (!found) return refuse(found.error());
  if (auto right = coordinator::check_expected(path, found->file ? found->file->version_id : "", expected); !right)
    return refuse(std::move(right).error());
  return Json{{"validate_only", true}, {"would", what}, {"path", path}};
}

Answer stored_answer(const lang::FileVersion& file) {
  auto answer = json_answer(client::to_json(file));
  answer.headers.emplace_back("ETag", entity_tag(file.version_id));
  return answer;
}

Outcome<Json> metadata_in(const Asked& asked) {
  const auto text = asked.text("metadata");
  if (text.empty()) return Json::object();
  auto metadata = Body::parse(text, "parameter 'metadata'");
  if (!metadata) return refuse(std::move(metadata).error());
  return metadata->root().to_json();
}

}  // namespace

Worked list_files(const Asked& asked, const Means& means) {
  auto cursor = file_cursor_of(asked);
  if (!cursor) return refuse(std::move(cursor).error());
  coordinator::ListFiles ask{.recursive = asked.flag("recursive")};
  if (const auto path = asked.text("path"); !path.empty()) ask.path = path;
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.cursor = std::move(*cursor);
  const auto page = means.questions.ask(ask);
  if (!page) return refuse(page.error());
  auto json = file_page(*page, "files");
  json["directories"] = page->directories;
  return page_answer(asked, std::move(json));
}

Worked tell_file(const Asked& asked, const Means& means) {
  const auto path = file_named(asked);
  if (!path) return refuse(path.error());
  const auto file = described(*path, asked.text("version"), means.questions);
  if (!file) return refuse(file.error());
  return stored_answer(*file);
}

Worked list_file_versions(const Asked& asked, const Means& means) {
  const auto path = file_named(asked);
  if (!path) return refuse(path.error());
  auto cursor = file_cursor_of(asked);
  if (!cursor) return refuse(std::move(cursor).error());
  const auto page = means.questions.ask(coordinator::ListFileVersions{
      .path = *path, .limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault)), .cursor = std::move(*cursor)});
  if (!page) return refuse(page.error());
  return page_answer(asked, file_page(*page, "versions"));
}

Worked read_file_content(const Asked& asked, const Means& means) {
  const auto path = file_named(asked);
  if (!path) return refuse(path.error());
  const auto file = described(*path, asked.text("version"), means.questions);
  if (!file) return refuse(file.error());
  // A part of another version would be put to parts of this one: RFC 9110, 13.1.5.
  const bool of_this_version = asked.if_range.empty() || asked.if_range == entity_tag(file->version_id);
  const auto slice = slice_of(of_this_version ? asked.range : std::string{}, file->size);
  if (!slice) return refuse(slice.error());
  if (!slice->asked && file->size > kContentBytesMax) {
    return refuse(Code::file_too_large, fmt::format("'{}' has {} bytes; an answer has at most {}: ask for it part by part with `Range: bytes=0-`, or "
                                                    "use `catena fs get`",
                                                    *path, file->size, kContentBytesMax));
  }
  auto content = content_within(*file, *slice, means.questions);
  if (!content) return refuse(std::move(content).error());
  Answer answer{slice->asked ? 206 : 200, std::move(*content), std::string{kBytesType}};
  answer.headers.emplace_back("ETag", entity_tag(file->version_id));
  answer.headers.emplace_back("Accept-Ranges", "bytes");
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (slice->asked) answer.headers.emplace_back("Content-Range", fmt::format("bytes {}-{}/{}", slice->from, slice->to - 1, file->size));
  return answer;
}

Worked put_file(const Asked& asked, const Means& means) {
  auto path = file_named(asked);
  if (!path) return refuse(std::move(path).error());
  auto expected = expected_version(asked);
  if (!expected) return refuse(std::move(expected).error());
  auto metadata = metadata_in(asked);
  if (!metadata) return refuse(std::move(metadata).error());
  lang::NewFile file;
  file.path = std::move(*path);
  file.content = asked.bytes;
  file.owner = asked.by.name;
  file.metadata = std::move(*metadata);
  if (asked.flag(kValidateOnly)) {
    if (auto right = coordinator::check_new_file(file); !right) return refuse(std::move(right).error());
    auto preview = would_change("put_file", file.path, *expected, means.questions);
    if (!preview) return refuse(std::move(preview).error());
    return json_answer(*preview);
  }
  if (!means.files) return refuse(Code::feature_unavailable, "this process has no file store");
  LongWork work;
  work.audit = coordinator::audit_entry("put_file", file.path, fmt::format("{} bytes", file.content.size()), {});
  work.run = [file = std::move(file), expected = std::move(*expected), files = means.files]() -> Outcome<Answer> {
    const auto stored = files->put_if(file, expected);
    if (!stored) return refuse(stored.error());
    return stored_answer(*stored);
  };
  return work;
}

Worked remove_file(const Asked& asked, const Means& means) {
  auto path = file_named(asked);
  if (!path) return refuse(std::move(path).error());
  auto expected = expected_version(asked);
  if (!expected) return refuse(std::move(expected).error());
  if (asked.flag(kValidateOnly)) {
    if (auto right = coordinator::check_file_path(*path); !right) return refuse(std::move(right).error());
    if (auto there = described(*path, "", means.questions); !there) return refuse(std::move(there).error());
    auto preview = would_change("remove_file", *path, *expected, means.questions);
    if (!preview) return refuse(std::move(preview).error());
    return json_answer(*preview);
  }
  if (!means.files) return refuse(Code::feature_unavailable, "this process has no file store");
  LongWork work;
  work.audit = coordinator::audit_entry("remove_file", *path, {}, asked.text("reason"));
  work.run = [path = std::move(*path), expected = std::move(*expected), files = means.files]() -> Outcome<Answer> {
    const auto removed = files->remove_if(path, expected);
    if (!removed) return refuse(removed.error());
    if (!*removed) return refuse(Code::file_not_found, fmt::format("the file store has no file '{}'", path));
    return json_answer({{"status", "ok"}});
  };
  return work;
}

}  // namespace catena::api
