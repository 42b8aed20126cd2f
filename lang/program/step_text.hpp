#pragma once
// What a step says, as text: two texts that are equal mean the same, wherever the definitions stand. For comparing the definitions that a
// chain began with and those of today. Steps are named by their index, so both programs need the same steps in the same places.
#include <string>

#include "lang/program/program.hpp"

namespace catena::lang {

/// When it runs and what it hands to its tool: gate, condition, arguments, items, surroundings.
[[nodiscard]] std::string asks_text(const Step& step);
/// What becomes of its tool's answer: schema, transforms, writes. The call itself is not in it.
[[nodiscard]] std::string answers_text(const Step& step);
/// What the program takes and answers, its steps aside.
[[nodiscard]] std::string frame_text(const Program& program);

}  // namespace catena::lang
