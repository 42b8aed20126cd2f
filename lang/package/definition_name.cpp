#include "lang/package/definition_name.hpp"

#include <fmt/format.h>

#include <istream>

#include "base/suggest.hpp"
#include "lang/document/document.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Ends the reading (by answering false) once the member `name` of the outermost object is known.
class NameReader final : public nlohmann::json_sax<Json> {
 public:
  std::optional<std::string> name;
  std::optional<std::string> broken;

  bool null() override { return scalar(); }
  bool boolean(bool) override { return scalar(); }
  bool number_integer(number_integer_t) override { return scalar(); }
  bool number_unsigned(number_unsigned_t) override { return scalar(); }
  bool number_float(number_float_t, const string_t&) override { return scalar(); }
  bool binary(binary_t&) override { return scalar(); }
  bool string(string_t& value) override {
    if (wanted()) name = std::move(value);
    return scalar();
  }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return depth_ > 0 && open(); }
  bool key(string_t& text) override {
    is_name_ = depth_ == 1 && text == "name";
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    broken = error.what();
    return false;
  }

 private:
  [[nodiscard]] bool wanted() const { return depth_ == 1 && is_name_; }
  [[nodiscard]] bool scalar() const { return depth_ > 0 && !wanted(); }
  bool open() {
    if (wanted()) return false;
    ++depth_;
    return true;
  }
  bool close() { return --depth_ > 0; }

  std::size_t depth_ = 0;
  bool is_name_ = false;
};

Result<std::optional<std::string>> name_in_json(std::istream& text) {
  NameReader reader;
  static_cast<void>(Json::sax_parse(text, &reader, Json::input_format_t::json, /*strict=*/false));
  if (reader.broken) return fail(Code::json_syntax, std::move(*reader.broken));
  return std::move(reader.name);
}

/// The line begins the member `name` of the outermost mapping. Nothing else can stand in the first column.
bool begins_name(std::string_view line) {
  for (const std::string_view key : {"name", "\"name\"", "'name'"}) {
    if (!line.starts_with(key)) continue;
    const auto colon = line.find_first_not_of(" \t", key.size());
    if (colon == std::string_view::npos || line[colon] != ':') continue;
    return colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\t' || line[colon + 1] == '\r';
  }
  return false;
}

Result<std::optional<std::string>> name_in_yaml(std::istream& text) {
  std::string line;
  bool found = false;
  while (!found && std::getline(text, line)) {
    if (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    found = begins_name(line);
  }
  if (!found) return std::nullopt;
  auto member = std::move(line);
  while (std::getline(text, line) && (line.empty() || line.front() == ' ' || line.front() == '\t' || line.front() == '\r')) member += '\n' + line;
  const auto document = read_document(member, {});
  if (!document) return fail(document.error().code, document.error().message);
  const auto* name = document->find("name");
  if (name == nullptr || name->kind != JsonKind::string) return std::nullopt;
  return name->scalar.get<std::string>();
}

}  // namespace

std::string file_stem(std::string_view path) {
  const auto file = path.substr(path.find_last_of('/') + 1);
  const auto dot = file.find_last_of('.');
  return std::string{dot == 0 || dot == std::string_view::npos ? file : file.substr(0, dot)};
}

Result<std::optional<std::string>> declared_name(std::istream& text) {
  std::string ahead(kByteOrderMark.size(), '\0');
  text.read(ahead.data(), static_cast<std::streamsize>(ahead.size()));
  const bool marked = text && ahead == kByteOrderMark;
  text.clear();
  if (!marked) text.seekg(0);
  text >> std::ws;
  const auto first = text.peek();
  if (text.eof()) return std::nullopt;
  return first == '{' || first == '[' ? name_in_json(text) : name_in_yaml(text);
}

Error no_tool_named(std::string_view name, std::span<const std::string> known) {
  return make_error(Code::definition_not_found, fmt::format("there is no tool '{}'{}", name, did_you_mean(name, known)));
}

}  // namespace catena::lang
