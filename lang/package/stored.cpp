#include "lang/package/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/utf8.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 2> kStoredFolders{"tools/", "agents/"};

tl::unexpected<Error> wrong_stored_name(std::string_view name, std::string_view why) {
  return fail(Code::id_invalid, fmt::format("'{}' is no name of a stored definition: {}; names are like report or team/report", name, why));
}

bool is_utf8_text(std::string_view text) {
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool may_stand_in_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7f && c != '#' && c != '\\' && c != '@';
}

/// "/a/b.tool" and "a/b.tool" from the root; nothing where the path leaves it or is none of a stored definition.
std::optional<std::string> name_at(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const auto part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return std::nullopt;
    } else {
      parts.pop_back();
    }
  }
  std::string name;
  for (const auto part : parts) name += (name.empty() ? "" : "/") + std::string{part};
  return check_stored_name(name) ? std::optional{name} : std::nullopt;
}

std::string without_extension(const std::string& name) {
  const auto dot = name.rfind('.');
  const auto slash = name.rfind('/');
  const auto first = slash == std::string::npos ? 0 : slash + 1;
  return dot == std::string::npos || dot <= first ? name : name.substr(0, dot);
}

/// The folder of a key: "team/" of "stored:/team/report".
std::string folder_of_stored(std::string_view key) {
  key.remove_prefix(kStoredRoot.size());
  key = key.substr(0, key.find('#'));
  const auto slash = key.rfind('/');
  return slash == std::string_view::npos ? std::string{} : std::string{key.substr(0, slash + 1)};
}

}  // namespace

Result<void> check_stored_name(std::string_view name) {
  if (name.empty()) return wrong_stored_name(name, "it is empty");
  if (name.size() > kStoredNameBytesMax) return wrong_stored_name(name, fmt::format("it has more than {} bytes", kStoredNameBytesMax));
  if (!is_utf8_text(name)) return wrong_stored_name("?", "it is not UTF-8");
  if (!std::ranges::all_of(name, may_stand_in_name)) return wrong_stored_name(name, "control characters, '#', '\\' and '@' are not for names");
  for (std::string_view rest = name;;) {
    const auto end = std::min(rest.find('/'), rest.size());
    const auto part = rest.substr(0, end);
    if (part.empty() || part == "." || part == "..") return wrong_stored_name(name, "a part of it is empty, '.' or '..'");
    if (end == rest.size()) return {};
    rest.remove_prefix(end + 1);
  }
}

std::string stored_key(std::string_view name) { return std::string{kStoredRoot}.append(name); }

bool is_stored(std::string_view key) { return key.starts_with(kStoredRoot); }

Error names_no_program(std::string_view what, std::string_view program) {
  return make_error(Code::program_not_found,
                    fmt::format("{} cannot name the program '{}' of this machine; put a tool that runs it into a tool root (tools.roots), and call "
                                "that",
                                what, program));
}

Result<std::optional<Source>> StoredFinder::stored(const std::string& name) const {
  auto text = read_(name);
  if (!text) return fail(std::move(text).error());
  if (!*text) return std::nullopt;
  return Source{stored_key(name), std::move(**text)};
}

Result<std::optional<Source>> StoredFinder::at_path(std::string_view path) const {
  const auto whole = name_at(path);
  if (!whole) return std::nullopt;
  std::vector<std::string> names{*whole, without_extension(*whole)};
  for (const auto folder : kStoredFolders) {
    if (!whole->starts_with(folder)) continue;
    names.push_back(whole->substr(folder.size()));
    names.push_back(without_extension(names.back()));
  }
  for (const auto& name : names) {
    if (!check_stored_name(name)) continue;
    auto found = stored(name);
    if (!found || *found) return found;
  }
  return std::nullopt;
}

/// What was found, or what is stored where nothing was.
Result<Source> StoredFinder::behind(Result<Source> found, const std::function<Result<std::optional<Source>>()>& look) const {
  if (found || (found.error().code != Code::definition_not_found && found.error().code != Code::file_unreadable)) return found;
  auto kept = look();
  if (!kept) return fail(std::move(kept).error());
  if (*kept) return std::move(**kept);
  auto error = std::move(found).error();
  // a finder of such before this one has said so
  const std::string note{"not among the stored definitions (`catena definitions list` lists them)"};
  if (error.code == Code::definition_not_found && std::ranges::find(error.notes, note) == error.notes.end()) error.notes.push_back(note);
  return fail(std::move(error));
}

Result<Source> StoredFinder::definition(std::string_view path, std::string_view from) const {
  if (from.empty() && is_stored(path)) {
    auto kept = stored(std::string{path.substr(kStoredRoot.size())});
    if (!kept) return fail(std::move(kept).error());
    if (*kept) return std::move(**kept);
    return fail(Code::definition_not_found, fmt::format("no definition is stored as '{}'", path.substr(kStoredRoot.size())));
  }
  if (from.empty()) {
    return behind(before_.definition(path, from), [&]() -> Result<std::optional<Source>> {
      if (!check_stored_name(path)) return std::nullopt;
      return stored(std::string{path});
    });
  }
  if (is_stored(from) && !path.starts_with('/')) {
    auto neighbour = at_path(folder_of_stored(from).append(path));
    if (!neighbour) return fail(std::move(neighbour).error());
    if (*neighbour) return std::move(**neighbour);
  }
  return behind(before_.definition(path, from), [&] { return at_path(path); });
}

Result<Source> StoredFinder::named(std::string_view name, std::string_view from) const {
  const auto look = [&]() -> Result<std::optional<Source>> {
    if (!check_stored_name(name)) return std::nullopt;
    return stored(std::string{name});
  };
  if (!before_.may_have(name)) {
    auto kept = look();
    if (!kept) return fail(std::move(kept).error());
    if (*kept) return std::move(**kept);
  }
  return behind(before_.named(name, from), look);
}

Result<std::string> StoredFinder::program(std::string_view program, std::string_view from) const {
  if (is_stored(from)) return fail(names_no_program("a stored definition", program));
  return before_.program(program, from);
}

std::vector<std::string> StoredFinder::names() const {
  auto known = before_.names();
  if (!list_) return known;
  for (auto& name : list_()) known.push_back(std::move(name));
  return known;
}

std::vector<std::string> StoredFinder::paths() const {
  auto known = before_.paths();
  if (!list_) return known;
  for (const auto& name : list_()) known.push_back("/" + name);
  return known;
}

tl::expected<Package, Diagnostics> load_stored(const std::string& name, const std::string& text, const SourceFinder& finder, const Catalog& catalog) {
  const StoredFinder with_it{
      finder, [&](const std::string& wanted) -> Result<std::optional<std::string>> { return wanted == name ? std::optional{text} : std::nullopt; }};
  return load_package(stored_key(name), with_it, catalog);
}

}  // namespace catena::lang
