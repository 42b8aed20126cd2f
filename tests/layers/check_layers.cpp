// Holds the folders of the project to the table in layers.txt: who includes and links whom, what stands behind a fence, how long a
// file may be, no circle of includes, no name in the anonymous namespaces of two sources of a folder. Prints file:line and the rule for each breach.
//   check_layers ROOT TABLE             fails when anything is wrong
//   check_layers ROOT TABLE --expect F  fails when what it prints is not what stands in F: the test of this test
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/layers/hidden_names.hpp"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Fence {
  std::string text;
  Words files;
  std::string why;
};
struct SizeCap {
  std::size_t lines;
  Words files;
};
struct Table {
  std::map<std::string, std::set<std::string>> layers;
  std::vector<Fence> fences;
  std::vector<SizeCap> sizes;
  Words skipped;
};
struct Include {
  std::string file;
  std::size_t line;
};

Words words_of(std::istream& line) { return Words{std::istream_iterator<std::string>{line}, {}}; }

/// A file itself, a folder/, or a prefix*.
bool covers(const Words& patterns, std::string_view file) {
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    if (pattern.ends_with('*')) return file.starts_with(pattern.substr(0, pattern.size() - 1));
    return pattern.ends_with('/') ? file.starts_with(pattern) : file == pattern;
  });
}

/// The line without a // comment; one inside quotes is none.
std::string_view code_of(std::string_view line) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\')
      ++at;
    else if (line[at] == '"')
      quoted = !quoted;
    else if (!quoted && line.substr(at).starts_with("//"))
      return line.substr(0, at);
  }
  return line;
}

Table read_table(const std::string& path) {
  Table table;
  std::ifstream in{path};
  if (!in) throw std::runtime_error{"cannot read " + path};
  for (std::string text; std::getline(in, text);) {
    std::istringstream line{text.substr(0, text.find('#'))};
    std::string keyword;
    if (!(line >> keyword)) continue;
    auto words = words_of(line);
    if (words.empty()) throw std::runtime_error{path + ": '" + text + "' says nothing"};
    if (keyword == "layer") {
      auto name = words.front();
      if (name.ends_with(':')) name.pop_back();
      table.layers[name] = {words.begin() + 1, words.end()};
    } else if (keyword == "fence") {
      table.fences.push_back({words.front(), {}, {}});
    } else if (keyword == "in" && !table.fences.empty()) {
      table.fences.back().files = words;
    } else if (keyword == "why" && !table.fences.empty()) {
      table.fences.back().why = text.substr(text.find("why") + 4);
    } else if (keyword == "size") {
      table.sizes.push_back({std::stoul(words.front()), {words.begin() + 1, words.end()}});
    } else if (keyword == "skip") {
      table.skipped = words;
    } else {
      throw std::runtime_error{path + ": '" + keyword + "' is no keyword here"};
    }
  }
  return table;
}

class Checker {
 public:
  Checker(fs::path root, Table table) : root_{std::move(root)}, table_{std::move(table)} {}

  std::set<std::string> run() {
    check_table();
    std::set<std::string> tops{"tests", "bench"};
    for (const auto& [layer, allowed] : table_.layers) tops.insert(layer.substr(0, layer.find('/')));
    for (const auto& top : tops) {
      if (!fs::is_directory(root_ / top)) continue;
      std::set<std::string> files;  // in order: the first file with a name is the one that others are told of
      for (const auto& entry : fs::recursive_directory_iterator{root_ / top}) {
        if (entry.is_regular_file()) files.insert(entry.path().lexically_relative(root_).generic_string());
      }
      for (const auto& file : files) check_file(file);
    }
    check_circles();
    return breaches_;
  }

 private:
  void breach(const std::string& file, std::size_t line, const std::string& rule) {
    breaches_.insert(file + ":" + std::to_string(line) + ": " + rule);
  }

  /// The innermost folder of the table that a file lies in; empty: none.
  [[nodiscard]] std::string layer_of(std::string path) const {
    while (!path.empty() && !table_.layers.contains(path)) path = parent_of(path);
    return path;
  }
  static std::string parent_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? std::string{} : path.substr(0, slash);
  }

  [[nodiscard]] bool may_use(const std::string& from, std::string to) const {
    for (const auto& allowed = table_.layers.at(from); !to.empty(); to = parent_of(to)) {
      if (from == to || allowed.contains(to)) return true;
    }
    return false;
  }

  [[nodiscard]] std::size_t lines_max(const std::string& file) const {
    auto lines = std::numeric_limits<std::size_t>::max();
    for (const auto& cap : table_.sizes) {
      if (covers(cap.files, file)) lines = cap.lines;
    }
    return lines;
  }

  /// A layer may use only layers that may not use it.
  void check_table() {
    for (const auto& [layer, allowed] : table_.layers) {
      for (const auto& used : allowed) {
        if (!table_.layers.contains(used))
          breach("layers.txt", 0, "'" + layer + "' may use '" + used + "', which is no layer");
        else if (may_use(used, layer))
          breach("layers.txt", 0, "'" + layer + "' and '" + used + "' may use each other");
      }
    }
  }

  void check_file(const std::string& file) {
    if (covers(table_.skipped, file)) return;
    const bool header = file.ends_with(".hpp");
    const bool links = file.ends_with("/CMakeLists.txt");
    if (!header && !links && !file.ends_with(".cpp")) return;
    const auto layer = layer_of(file);
    const bool layered = !layer.empty();
    std::ifstream in{root_ / file};
    std::size_t number = 0;
    bool once = false;
    house::HiddenNames hidden;
    for (std::string line; std::getline(in, line);) {
      ++number;
      once = once || line == "#pragma once";
      if (links) {
        if (layered) check_links(file, number, layer, line);
        continue;
      }
      if (!header) check_hidden(file, number, hidden.in(line));
      const auto code = code_of(line);
      check_include(file, number, layer, code);
      if (layered) check_fences(file, number, code);
    }
    if (links) return;
    if (header && !once) breach(file, 1, "has no '#pragma once'");
    const auto cap = lines_max(file);
    if (number > cap) breach(file, number, "is longer than " + std::to_string(cap) + " lines; split it");
  }

  void check_include(const std::string& file, std::size_t number, const std::string& layer, std::string_view code) {
    constexpr std::string_view kBegin = "#include \"";
    if (!code.starts_with(kBegin)) return;
    const std::string target{code.substr(kBegin.size(), code.find('"', kBegin.size()) - kBegin.size())};
    const auto slash = target.find('/');
    if (slash == std::string::npos) {
      if (!layer.empty()) breach(file, number, "include \"" + target + "\" from the root: \"folder/" + target + "\"");
      return;
    }
    if (!fs::is_regular_file(root_ / target)) breach(file, number, "includes \"" + target + "\", which does not exist");
    includes_[file].push_back({target, number});
    if (layer.empty()) return;
    const auto used = layer_of(target);
    if (used.empty())
      breach(file, number, "'" + layer + "' includes \"" + target + "\", which is in no layer");
    else if (!may_use(layer, used))
      breach(file, number, "'" + layer + "' may not include '" + used + "'");
  }

  void check_fences(const std::string& file, std::size_t number, std::string_view code) {
    for (const auto& fence : table_.fences) {
      if (code.find(fence.text) == std::string_view::npos || covers(fence.files, file)) continue;
      breach(file, number, "'" + fence.text + "' may not stand here: " + fence.why);
    }
  }

  /// Sources of a unity build: a layer's, or those of a folder of tests. Programs of one source each are none.
  void check_hidden(const std::string& file, std::size_t number, std::string name) {
    if (name.empty() || file.starts_with("bench/") || file.find("/tools/") != std::string::npos) return;
    const auto end = file.starts_with("tests/") ? file.find('/', sizeof "tests/" - 1) : file.find('/');
    const auto [other, fresh] = hidden_.try_emplace({file.substr(0, end), std::move(name)}, file);
    if (!fresh && other->second != file)
      breach(file, number,
             "'" + other->first.second.substr(other->first.second.rfind(' ') + 1) + "' stands in an anonymous namespace here and in " +
                 other->second + ", which unity builds compile as one");
  }

  void check_links(const std::string& file, std::size_t number, const std::string& layer, std::string_view line) {
    line = line.substr(0, line.find('#'));
    constexpr std::string_view kPrefix = "catena_";
    for (auto at = line.find(kPrefix); at != std::string_view::npos; at = line.find(kPrefix, at + 1)) {
      const auto from = at + kPrefix.size();
      const auto end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", from);
      const std::string used{line.substr(from, end == std::string_view::npos ? end : end - from)};
      if (table_.layers.contains(used) && !may_use(layer, used)) breach(file, number, "'" + layer + "' may not link '" + used + "'");
    }
  }

  void check_circles() {
    std::map<std::string, int> seen;  // 1: on the way, 2: done
    std::function<void(const std::string&)> follow = [&](const std::string& file) {
      seen[file] = 1;
      for (const auto& include : includes_[file]) {
        if (seen[include.file] == 1) breach(file, include.line, "includes \"" + include.file + "\", which leads back here");
        if (seen[include.file] == 0) follow(include.file);
      }
      seen[file] = 2;
    };
    Words files;
    for (const auto& [file, included] : includes_) files.push_back(file);
    for (const auto& file : files) {
      if (seen[file] == 0) follow(file);
    }
  }

  fs::path root_;
  Table table_;
  std::map<std::string, std::vector<Include>> includes_;
  std::map<std::pair<std::string, std::string>, std::string> hidden_;  // folder and name: the file that was seen first
  std::set<std::string> breaches_;
};

int compare(const std::string& got, const std::string& path) {
  std::ifstream in{path};
  const std::string expected{std::istreambuf_iterator<char>{in}, {}};
  if (got == expected) return 0;
  std::cerr << "expected (" << path << "):\n" << expected << "got:\n" << got;
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Words arguments{argv + 1, argv + argc};
  if (arguments.size() != 2 && !(arguments.size() == 4 && arguments[2] == "--expect")) {
    std::cerr << "usage: check_layers ROOT TABLE [--expect FILE]\n";
    return 2;
  }
  try {
    std::string text;
    for (const auto& breach : Checker{arguments[0], read_table(arguments[1])}.run()) text += breach + "\n";
    if (arguments.size() == 4) return compare(text, arguments[3]);
    std::cerr << text;
    return text.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "check_layers: " << error.what() << "\n";
    return 2;
  }
}
