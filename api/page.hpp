#pragma once
// The files of the web page, which are part of the binary (web/dist), and how they are sent. Pure, but for the table.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/message.hpp"
#include "base/result.hpp"

namespace catena::api {

struct PageFile {
  std::string_view name;
  std::string_view type;
  std::string_view hash;  // of its content, SHA-256
  std::string_view gzip;  // its content, compressed
  std::uint64_t bytes = 0;
  bool immutable = false;  // its name changes with its content
};

/// What web/dist held when the binary was built; empty: it was built without the page. Written by web/embed.
[[nodiscard]] std::span<const PageFile> page_files();

/// The policy of the page: nothing comes from elsewhere, nothing runs but its own scripts, and nobody frames it.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

/// The file of that name, compressed as it is kept (`Content-Encoding`), or 304 where `if_none_match` names it. Error: route_unknown.
[[nodiscard]] Result<Answer> page_answer(std::span<const PageFile> files, const std::string& name, std::string_view if_none_match);

/// The text of a file of the page. Error: feature_unavailable, where it is not there.
[[nodiscard]] Result<std::string> page_text(std::span<const PageFile> files, std::string_view name);

}  // namespace catena::api
