#include "base/dumped_text.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace catena {

void append_dumped(std::string& out, std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (!plain) {
    out += dump_lossy(Json(text));
    return;
  }
  out.push_back('"');
  out.append(text);
  out.push_back('"');
}

}  // namespace catena
