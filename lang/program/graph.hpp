#pragma once
// A program as a picture: its steps, what waits for what, fan-outs and conditions. Text for Mermaid and Graphviz.
#include <map>
#include <memory>
#include <string>

#include "lang/program/program.hpp"

namespace catena::lang {

/// By key, as a package has them. Blocks among them (rounds of loops, branches) are drawn within the picture of who runs them.
using Programs = std::map<std::string, std::shared_ptr<const Program>>;

[[nodiscard]] std::string to_mermaid(const Program& program, const Programs& programs = {});
[[nodiscard]] std::string to_dot(const Program& program, const Programs& programs = {});

}  // namespace catena::lang
