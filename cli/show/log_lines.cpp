#include "cli/show/log_lines.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/iso8601.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kStreamsRemembered = 20'000;

}  // namespace

std::string attempt_name(const coordinator::LogRow& row) {
  auto name = row.step;
  if (row.visit > 1) name += fmt::format("@{}", row.visit);
  if (row.item) name += fmt::format("/{}", *row.item);
  return name + fmt::format("#{}", row.attempt);
}

std::string text_of(const LogLine& line) {
  const bool out = line.of.stream == actors::LogStream::standard_output;
  return fmt::format("{}{}: {}", attempt_name(line.of), out ? " stdout" : "",
                     line.cut != 0 ? fmt::format("... {} bytes are not kept", line.cut) : line.text);
}

Json to_json(const LogLine& line) {
  Json json{{"step", line.of.step}, {"visit", line.of.visit}, {"attempt", line.of.attempt}, {"stream", actors::name(line.of.stream)}};
  if (line.of.item) json["item"] = *line.of.item;
  json["time"] = iso8601(line.of.at);
  if (line.cut != 0) {
    json["cut"] = line.cut;
  } else {
    json["line"] = line.text;
  }
  return json;
}

void LogLines::take(const coordinator::LogRow& row) {
  const auto [found, fresh] = streams_.try_emplace({row.step, row.visit, row.item.value_or(0), row.attempt, row.stream});
  auto& stream = found->second;
  stream.of = row;
  stream.of.text.clear();
  const bool knows = !fresh || !forgot_;
  if (knows && row.offset > stream.next) {
    if (!stream.open.empty()) print_({stream.of, std::exchange(stream.open, {})});
    print_({stream.of, {}, row.offset - stream.next});
  }
  stream.next = row.offset + row.text.size();
  print_lines(stream, row.text);
  forget_some();
}

void LogLines::print_lines(Stream& stream, std::string_view text) {
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    auto line = std::exchange(stream.open, {});
    line += text.substr(0, end);
    print_({stream.of, std::move(line)});
    text.remove_prefix(end + 1);
  }
  stream.open += text;
}

void LogLines::end() {
  for (auto& [key, stream] : streams_) {
    if (!stream.open.empty()) print_({stream.of, std::exchange(stream.open, {})});
  }
}

void LogLines::forget_some() {
  if (streams_.size() <= kStreamsRemembered) return;
  std::erase_if(streams_, [](const auto& entry) { return entry.second.open.empty(); });
  forgot_ = true;
}

}  // namespace catena::cli
