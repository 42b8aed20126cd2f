#include "api/batch.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/body.hpp"
#include "base/limits.hpp"

namespace catena::api {
namespace {

std::size_t bytes_of_programs(const Pinned& pinned) {
  std::size_t bytes = 0;
  for (const auto& [hash, content] : pinned.programs) bytes += content.size();
  return bytes;
}

Outcome<ReadSubmission> read_line(std::string text, SubmissionDefaults defaults, const Shelf& shelf, PinnedBook& book) {
  const auto body = Body::parse(std::move(text), "line");
  if (!body) return refuse(body.error());
  Members members{body->root()};
  defaults.key = members.text("idempotency_key");
  return read_submission(*body, members, std::move(defaults), shelf, book);
}

}  // namespace

Outcome<std::vector<NumberedLine>> batch_lines(std::string_view text) {
  std::vector<NumberedLine> lines;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (lines.size() == limits::kBatchLinesMax)
      return refuse(Code::request_too_large, fmt::format("the batch has more than {} lines; send several", limits::kBatchLinesMax));
    lines.push_back({number, line});
  }
  if (lines.empty()) return refuse(Code::request_invalid, "the batch is empty; each line is a submission, a JSON object");
  return lines;
}

BatchLine read_batch_line(const NumberedLine& line, const SubmissionDefaults& defaults, const Shelf& shelf, PinnedBook& book) {
  BatchLine known;
  known.number = line.number;
  auto read = read_line(std::string{line.text}, defaults, shelf, book);
  if (read) {
    known.read = std::move(*read);
  } else {
    known.problem = std::move(read).error();
  }
  return known;
}

void Batch::add(BatchLine line) { lines_.push_back(std::move(line)); }

std::optional<std::size_t> Batch::find_next() {
  while (!ready_.empty()) {
    const auto line = ready_.front();
    const auto before = sent_.find(lines_[line].read->submission.chain);
    if (before == sent_.end()) return line;
    before->second.behind.push_back(line);
    ready_.pop_front();
  }
  for (; ahead_ < lines_.size(); ++ahead_) {
    if (!lines_[ahead_].read) continue;
    const auto before = sent_.find(lines_[ahead_].read->submission.chain);
    if (before == sent_.end()) return ahead_;
    before->second.behind.push_back(ahead_);
  }
  return std::nullopt;
}

std::optional<actors::Submission> Batch::next() {
  if (sent_.size() >= limits_.lines) return std::nullopt;
  const auto line = find_next();
  if (!line) return std::nullopt;
  auto& read = *lines_[*line].read;
  const auto bytes = bytes_of_programs(*read.pinned);
  if (!sent_.empty() && program_bytes_ + bytes > limits_.program_bytes) return std::nullopt;
  program_bytes_ += bytes;
  if (ready_.empty()) {
    ++ahead_;
  } else {
    ready_.pop_front();
  }
  sent_.emplace(read.submission.chain, Sent{*line, bytes, {}});
  auto whole = std::move(read).whole();
  lines_[*line].read.reset();
  return whole;
}

BatchLine* Batch::settle(const ChainId& chain) {
  auto found = sent_.extract(chain);
  if (found.empty()) return nullptr;
  program_bytes_ -= found.mapped().program_bytes;
  ready_.insert(ready_.end(), found.mapped().behind.begin(), found.mapped().behind.end());
  return &lines_[found.mapped().line];
}

void Batch::accept(const actors::Accepted& accepted) {
  auto* const line = settle(accepted.chain);
  if (line == nullptr) return;
  line->submitted_before = !accepted.ran.empty();
  line->chain = line->submitted_before ? accepted.ran : accepted.chain;
}

void Batch::refuse(const ChainId& chain, Error error) {
  if (auto* const line = settle(chain)) line->problem = Problem{std::move(error)};
}

void Batch::give_up(const Error& error) {
  for (auto& line : lines_) {
    line.read.reset();
    if (!line.problem && line.chain.empty()) line.problem = Problem{error};
  }
  ahead_ = lines_.size();
  ready_.clear();
  sent_.clear();
}

Json batch_record(const BatchLine& line, std::string_view status) {
  Json json{{"line", line.number}};
  if (line.problem) {
    json["error"] = to_json(*line.problem);
    return json;
  }
  json["chain_id"] = line.chain.value;
  if (!status.empty()) json["status"] = status;
  if (line.submitted_before) json["submitted_before"] = true;
  return json;
}

}  // namespace catena::api
