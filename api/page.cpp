#include "api/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/gzip.hpp"

namespace catena::api {
namespace {

constexpr int kNotModified = 304;

/// Whether the header names the tag: alone, among others, as a weak one, or as "*".
bool names_tag(std::string_view header, std::string_view tag) { return header == "*" || header.find(tag) != std::string_view::npos; }

}  // namespace

Result<Answer> page_answer(std::span<const PageFile> files, const std::string& name, std::string_view if_none_match) {
  if (files.empty()) return fail(Code::feature_unavailable, "this catena was built without its web page (web/dist)");
  const auto found = std::ranges::find(files, std::string_view{name}, &PageFile::name);
  if (found == files.end()) return fail(Code::route_unknown, fmt::format("the web page has no file '{}'; it begins at /ui/", name));
  const auto tag = fmt::format("\"{}\"", found->hash.substr(0, 32));
  Answer answer{200, {}, std::string{found->type}};
  answer.headers = {
      {"Cache-Control", found->immutable ? "public, max-age=31536000, immutable" : "no-cache"},
      {"ETag", tag},
      {"Content-Security-Policy", std::string{kPagePolicy}},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"},
      {"Vary", "Accept-Encoding"},
  };
  if (names_tag(if_none_match, tag)) {
    answer.status = kNotModified;
    return answer;
  }
  answer.headers.emplace_back("Content-Encoding", "gzip");
  answer.body = found->gzip;
  return answer;
}

Result<std::string> page_text(std::span<const PageFile> files, std::string_view name) {
  const auto found = std::ranges::find(files, name, &PageFile::name);
  if (found == files.end())
    return fail(Code::feature_unavailable, fmt::format("this catena was built without the file '{}' of its web page (web/dist)", name));
  return decompressed(found->gzip, found->bytes);
}

}  // namespace catena::api
