// yaml_json FILE...: the documents of YAML files as JSON, one a line, with merge keys (<<) expanded. For tests that look into YAML with jq.
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;

json value_of(const YAML::Node& node);

json plain(const YAML::Node& node) {
  const auto& text = node.Scalar();
  // a scalar in quotes has the tag "!" and is a text, whatever is in it
  if (node.Tag() == "!") return text;
  if (text == "true" || text == "false") return text == "true";
  if (text.empty() || text == "null" || text == "~") return nullptr;
  const auto number = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return number.is_number() ? number : json(text);
}

json object_of(const YAML::Node& node) {
  auto object = json::object();
  for (const auto& entry : node) {
    if (entry.first.Scalar() == "<<") continue;
    if (!object.emplace(entry.first.Scalar(), value_of(entry.second)).second) throw YAML::Exception(entry.first.Mark(), "a key is there twice");
  }
  if (const auto merged = node["<<"]) {
    const auto further = value_of(merged);
    for (const auto& [key, value] : further.items()) object.emplace(key, value);
  }
  return object;
}

json value_of(const YAML::Node& node) {
  if (node.IsMap()) return object_of(node);
  if (node.IsSequence()) {
    auto list = json::array();
    for (const auto& item : node) list.push_back(value_of(item));
    return list;
  }
  return node.IsScalar() ? plain(node) : json(nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  for (int at = 1; at < argc; ++at) {
    try {
      for (const auto& document : YAML::LoadAllFromFile(argv[at])) std::puts(value_of(document).dump().c_str());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", argv[at], error.what());
      return 1;
    }
  }
  return 0;
}
