#include "worker/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/cut_text.hpp"
#include "base/suggest.hpp"

namespace catena::worker {
namespace {

using lang::JsonKind;
using lang::JsonView;

constexpr Millis kContinueAfterMax{366LL * 24 * 3'600'000};

tl::unexpected<Error> refuse(std::string words) { return fail(Code::tool_output_invalid, std::move(words)); }

/// A member of the parameters; nothing where it is missing or null.
std::optional<JsonView> given(const std::optional<JsonView>& params, std::string_view member) {
  if (!params) return std::nullopt;
  auto value = params->find(member);
  return value && !value->is_null() ? value : std::nullopt;
}

/// A whole number from 0 on.
Result<std::optional<std::int64_t>> count_in(const std::optional<JsonView>& params, std::string_view member) {
  const auto value = given(params, member);
  if (!value) return std::optional<std::int64_t>{};
  const auto number = value->kind() == JsonKind::number ? value->parse() : Json{};
  if (!number.is_number_integer() || (number.is_number_unsigned() && number.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) ||
      number.get<std::int64_t>() < 0) {
    return refuse(fmt::format("has a '{}' that is no whole number of at least 0", member));
  }
  return std::optional{number.get<std::int64_t>()};
}

Result<std::optional<std::string>> text_in(const std::optional<JsonView>& params, std::string_view member) {
  const auto value = given(params, member);
  if (!value) return std::optional<std::string>{};
  if (value->kind() != JsonKind::string) return refuse(fmt::format("has a '{}' that is no text", member));
  return std::optional{value->string()};
}

Result<SaidNote> read_progress(const std::optional<JsonView>& params) {
  const auto done = count_in(params, "done");
  if (!done) return fail(done.error());
  const auto of = count_in(params, "of");
  if (!of) return fail(of.error());
  const auto text = text_in(params, "text");
  if (!text) return fail(text.error());
  return SaidProgress{done->value_or(-1), of->value_or(-1), std::string{cut_text(text->value_or(""), actors::kProgressTextMax)}};
}

Result<SaidNote> read_checkpoint(const std::optional<JsonView>& params) {
  const auto state = params ? params->find("state") : std::nullopt;
  if (!state || state->is_null()) return refuse("is a checkpoint without 'state', which is what another attempt goes on from");
  if (state->text().size() > actors::kCheckpointBytesMax) {
    return refuse(fmt::format("is a checkpoint of {} bytes; it may have {}: keep what is large in a file or a store, and say where it is",
                              state->text().size(), actors::kCheckpointBytesMax));
  }
  return SaidCheckpoint{lang::JsonText{std::string{state->text()}}};
}

Result<SaidNote> read_log(const std::optional<JsonView>& params) {
  auto text = text_in(params, "text");
  if (!text) return fail(std::move(text).error());
  if (!*text) return refuse("is a line for the log without 'text'");
  auto level = text_in(params, "level");
  if (!level) return fail(std::move(level).error());
  return SaidLog{level->value_or(""), std::move(**text)};
}

Result<SaidNote> read_chunk(const std::optional<JsonView>& params) {
  auto text = text_in(params, "text");
  if (!text) return fail(std::move(text).error());
  if (!*text) return refuse("is a chunk without 'text'");
  return SaidChunk{std::move(**text)};
}

Result<SaidNote> read_usage(const std::optional<JsonView>& params) {
  SaidUsage usage;
  if (!params) return refuse("is a usage without 'params', the amounts by their names");
  Result<void> outcome;
  params->for_each_member([&](std::string_view name, JsonView) {
    const auto amount = count_in(params, name);
    if (!amount) outcome = fail(amount.error());
    if (name.empty() || name.size() > actors::kUsageNameBytesMax)
      outcome = refuse(fmt::format("counts usage by a name that has not 1 to {} bytes", actors::kUsageNameBytesMax));
    if (outcome && *amount) usage.amounts.emplace(name, **amount);
    return outcome.has_value() && usage.amounts.size() <= actors::kUsageNamesMax;
  });
  if (!outcome) return fail(std::move(outcome).error());
  return usage;
}

Result<SaidNote> read_continue(const std::optional<JsonView>& params) {
  const auto after = count_in(params, "after_ms");
  if (!after) return fail(after.error());
  return SaidContinue{std::min(Millis{after->value_or(0)}, kContinueAfterMax)};
}

struct Method {
  std::string_view name;
  Result<SaidNote> (*read)(const std::optional<JsonView>& params);
};
constexpr std::array kMethods{Method{"progress", read_progress}, Method{"checkpoint", read_checkpoint}, Method{"log", read_log},
                              Method{"chunk", read_chunk},       Method{"usage", read_usage},           Method{"continue", read_continue}};

Result<SaidNote> unknown_method(const std::string& method) {
  std::vector<std::string> known;
  for (const auto& row : kMethods) known.emplace_back(row.name);
  return refuse(fmt::format("has the method '{}', which is none of {}{}", cut_text(method, 60), fmt::join(known, ", "), did_you_mean(method, known)));
}

}  // namespace

bool is_notification(std::string_view line) {
  // most answers are not looked into
  if (line.size() > kNoteBytesMax || line.find("\"method\"") == std::string_view::npos) return false;
  const auto text = lang::parse_json_text(line);
  if (!text || JsonView{*text}.kind() != JsonKind::object) return false;
  return JsonView{*text}.find("method").has_value() && !JsonView{*text}.find("id").has_value();
}

Result<SaidNote> parse_note(std::string_view line) {
  if (line.size() > kNoteBytesMax) return refuse(fmt::format("is longer than {} bytes", kNoteBytesMax));
  const auto text = lang::parse_json_text(line);
  if (!text) return refuse("is not JSON: " + text.error().message);
  const JsonView message{*text};
  if (message.kind() != JsonKind::object) return refuse("is no JSON object");
  const auto method = message.find("method");
  if (!method || method->kind() != JsonKind::string) return refuse("has no 'method'");
  const auto params = message.find("params");
  if (params && params->kind() != JsonKind::object) return refuse("has 'params' that are no object");
  const auto name = method->string();
  const auto* const known = std::ranges::find(kMethods, name, &Method::name);
  return known == kMethods.end() ? unknown_method(name) : known->read(params);
}

void NoteKeeper::add(const SaidProgress& progress) {
  progress_ = progress;
  progress_pace_.waits = true;
}

void NoteKeeper::add(const SaidCheckpoint& checkpoint) {
  checkpoint_ = checkpoint.state.text;
  checkpoint_pace_.waits = true;
}

Result<void> NoteKeeper::add(const SaidUsage& usage) {
  for (const auto& [name, amount] : usage.amounts) {
    auto& sum = usage_[name];
    if (amount > std::numeric_limits<std::int64_t>::max() - sum)
      return refuse(fmt::format("brings the usage of '{}' to more than can be counted", name));
    sum += amount;
  }
  if (usage_.size() > actors::kUsageNamesMax) return refuse(fmt::format("counts usage by more than {} names", actors::kUsageNamesMax));
  progress_pace_.waits = true;
  return {};
}

std::optional<std::int64_t> NoteKeeper::due() const {
  const auto progress = progress_pace_.due(kProgressPause);
  const auto checkpoint = checkpoint_pace_.due(kCheckpointPause);
  if (!progress || !checkpoint) return progress ? progress : checkpoint;
  return std::min(*progress, *checkpoint);
}

std::optional<actors::AttemptNote> NoteKeeper::take(std::int64_t now) {
  const auto ripe = [&](std::optional<std::int64_t> due) { return due && *due <= now; };
  const bool with_checkpoint = ripe(checkpoint_pace_.due(kCheckpointPause));
  if (!with_checkpoint && !ripe(progress_pace_.due(kProgressPause))) return std::nullopt;
  actors::AttemptNote note;
  note.done = progress_.done;
  note.of = progress_.of;
  note.text = progress_.text;
  note.usage = usage_;
  progress_pace_ = {now, false};
  if (with_checkpoint) {
    note.checkpoint = checkpoint_;
    checkpoint_pace_ = {now, false};
  }
  return note;
}

}  // namespace catena::worker
