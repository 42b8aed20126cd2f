#pragma once
// What a submission has to be before a chain begins.
#include "actors/messages.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"

namespace catena::coordinator {

/// Ids name directories of people's minds and keys of the store: letters, digits and ._- with / between parent and child.
[[nodiscard]] Result<void> check_new_chain_id(const ChainId& chain, bool child = false);

/// Why a chain of this id cannot begin, or be asked for anything, now.
[[nodiscard]] Error chain_exists(const ChainId& chain);
[[nodiscard]] Error just_ending(const ChainId& chain);

/// A key that a client gives its submission: 1 to 255 visible characters of ASCII. Error: field_value.
[[nodiscard]] Result<void> check_submission_key(std::string_view key);

/// Of a chain that somebody submits, whose context gets the form in which it is kept. What children get was checked with their parent.
/// Errors: those of lang::check_context, field_value of a label or a trace context, call_cycle.
[[nodiscard]] Result<void> check_submitted(actors::Submission& submission);

/// The programs that a submission carries are those that its package pins. Errors: argument_unknown, argument_type.
[[nodiscard]] Result<void> check_programs(const lang::Package& package, const std::map<std::string, std::string>& programs);

}  // namespace catena::coordinator
