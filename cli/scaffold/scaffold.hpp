#pragma once
// The files that a new definition begins with: itself, a tool that it calls, and a test. Pure; `catena new` writes them.
#include <string>
#include <string_view>
#include <vector>

namespace catena::cli {

struct NewFileText {
  std::string path;  // relative
  std::string text;
  bool program = false;
};

struct Scaffold {
  std::vector<NewFileText> files;  // the definition first
  std::string definition;          // paths among them
  std::string test;
};

/// Dialects of which there is a scaffold, as the command line calls them.
[[nodiscard]] const std::vector<std::string>& scaffold_kinds();

/// `kind` is one of them; `name` consists of letters, digits, '_' and '-'.
[[nodiscard]] Scaffold make_scaffold(std::string_view kind, const std::string& name);

}  // namespace catena::cli
