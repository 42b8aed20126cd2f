#pragma once
// A program as a picture: its steps, what waits for what, fan-outs and conditions. Text for Mermaid and Graphviz.
#include <string>

#include "lang/program/program.hpp"

namespace catena::lang {

[[nodiscard]] std::string to_mermaid(const Program& program);
[[nodiscard]] std::string to_dot(const Program& program);

}  // namespace catena::lang
