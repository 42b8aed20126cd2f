#include "worker/secrets.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/descriptor_io.hpp"
#include "base/fd.hpp"
#include "lang/program/endpoint.hpp"
#include "worker/conversation.hpp"
#include "worker/process.hpp"

namespace catena::worker {
namespace {

constexpr std::string_view kFile = "file:";
constexpr std::string_view kVariable = "env:";
constexpr std::string_view kCommand = "command:";
constexpr std::string_view kName = "{name}";
constexpr std::string_view kMask = "***";
constexpr std::size_t kSecretBytesMax = 64UL << 10U;
constexpr Millis kCommandTimeout{10'000};

tl::unexpected<Error> not_found(const std::string& name, std::string_view why) {
  return fail(Code::secret_not_found, fmt::format("the secret '{}' cannot be had on this worker: {}", name, why));
}

std::string with_name(std::string source, const std::string& name) {
  for (auto at = source.find(kName); at != std::string::npos; at = source.find(kName, at + name.size())) source.replace(at, kName.size(), name);
  return source;
}

Result<std::string> from_file(const std::string& name, const std::string& path) {
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file.is_open()) return not_found(name, fmt::format("the file '{}' cannot be opened: {}", path, std::strerror(errno)));
  std::string content;
  if (const int failed = read_all(file.get(), kSecretBytesMax, content); failed != 0)
    return not_found(name, fmt::format("the file '{}' cannot be read: {}", path, std::strerror(failed)));
  return content;
}

Result<std::string> from_variable(const std::string& name, const std::string& variable) {
  const auto* value = std::getenv(variable.c_str());
  if (value == nullptr) return not_found(name, fmt::format("catena was started without the variable {}", variable));
  return std::string{value};
}

Result<std::string> from_command(const std::string& name, const std::string& line) {
  const auto words = lang::split_words(line).value_or(std::vector<std::string>{});
  if (words.empty()) return not_found(name, "its command is empty");
  auto child = ChildProcess::start({.program = words.front(), .args = std::span{words}.subspan(1), .environment = ::environ});
  if (!child) return not_found(name, child.error().message);
  const auto talk = converse(std::move(*child), {.output_bytes_max = kSecretBytesMax, .timeout = kCommandTimeout}, {});
  if (talk.ending == ConversationEnding::timed_out) return not_found(name, fmt::format("'{}' took longer than 10 s", words.front()));
  if (talk.ending != ConversationEnding::exited || talk.status.signal != 0 || talk.status.code != 0)
    return not_found(name, fmt::format("'{}' failed", words.front()));
  return talk.output;
}

struct Source {
  std::string_view form;
  Result<std::string> (*read)(const std::string& name, const std::string& where);
};
constexpr Source kSources[] = {{kFile, from_file}, {kVariable, from_variable}, {kCommand, from_command}};

const Source* source_of(std::string_view text) {
  const auto* found = std::ranges::find_if(kSources, [&](const Source& source) { return text.starts_with(source.form); });
  return found == std::end(kSources) ? nullptr : found;
}

std::string quoted(const std::string& text) {
  const auto json = dump_lossy(Json(text));
  return json.substr(1, json.size() - 2);
}

}  // namespace

Result<Secrets> Secrets::from(std::map<std::string, std::string> sources) {
  for (const auto& [name, source] : sources) {
    const auto* form = source_of(source);
    const bool absolute = form == nullptr || form->form == kVariable || source.substr(form->form.size()).starts_with('/');
    if (form == nullptr || source.size() == form->form.size() || !absolute) {
      return fail(
          Code::field_value,
          fmt::format("secret '{}' comes from 'file:/path', 'env:NAME' or 'command:/program args…', and '{}' is none of these", name, source));
    }
  }
  return Secrets{std::move(sources)};
}

Result<std::string> Secrets::value(const std::string& name) const {
  auto found = sources_.find(name);
  if (found == sources_.end()) found = sources_.find("*");
  if (found == sources_.end()) return not_found(name, "worker.secrets of its configuration says nothing of it");
  const auto source = with_name(found->second, name);
  const auto& form = *source_of(source);
  auto secret = form.read(name, source.substr(form.form.size()));
  if (!secret) return secret;
  while (secret->ends_with('\n') || secret->ends_with('\r')) secret->pop_back();
  if (has_nul(*secret)) return not_found(name, "it has a NUL in it, which no variable can have");
  if (secret->size() < kSecretBytesMin) return not_found(name, fmt::format("it is shorter than {} bytes", kSecretBytesMin));
  return secret;
}

void Masks::add(const std::string& secret) {
  secrets_.push_back(secret);
  if (const auto json = quoted(secret); json != secret) secrets_.push_back(json);
  std::ranges::sort(secrets_, std::ranges::greater{}, &std::string::size);
}

void Masks::clean(std::string& text) const {
  for (const auto& secret : secrets_) {
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + kMask.size())) text.replace(at, secret.size(), kMask);
  }
}

void Masks::clean_end(std::string& text) const {
  for (const auto& secret : secrets_) {
    for (auto left = secret.size() - 1; left >= kSecretBytesMin; --left) {
      if (!text.starts_with(std::string_view{secret}.substr(secret.size() - left))) continue;
      text.replace(0, left, kMask);
      break;
    }
  }
  clean(text);
}

void Masks::clean_beginning(std::string& text) const {
  clean(text);
  const auto part = part_at_end(text);
  if (part >= kSecretBytesMin) text.replace(text.size() - part, part, kMask);
}

std::size_t Masks::part_at_end(std::string_view text) const {
  std::size_t longest = 0;
  for (const auto& secret : secrets_) {
    for (auto part = std::min(secret.size() - 1, text.size()); part > longest; --part) {
      if (!text.ends_with(std::string_view{secret}.substr(0, part))) continue;
      longest = part;
      break;
    }
  }
  return longest;
}

/// A number can be a secret, too: it becomes the text that stands for it.
void Masks::clean(Json& json) const {
  if (json.is_string()) return clean(json.get_ref<std::string&>());
  if (json.is_array()) {
    for (auto& element : json) clean(element);
  } else if (json.is_object()) {
    auto cleaned = Json::object();
    for (auto& [key, value] : json.items()) {
      auto name = key;
      clean(name);
      clean(value);
      cleaned[name] = std::move(value);
    }
    json = std::move(cleaned);
  } else {
    auto text = json.dump();
    clean(text);
    if (text != json.dump()) json = text;
  }
}

void Masks::clean(Error& error) const {
  clean(error.message);
  clean(error.details);
  if (!error.cause) return;
  auto cause = *error.cause;
  clean(cause);
  error.cause = std::make_shared<const Error>(std::move(cause));
}

Outcome Masks::clean(Outcome outcome) const {
  if (secrets_.empty()) return outcome;
  clean(outcome.stderr_tail);
  if (!outcome.response) {
    clean(outcome.response.error());
  } else {
    // JSON has many ways to write a text
    const auto answered = lang::JsonView{*outcome.response}.parse();
    auto cleaned = answered;
    clean(cleaned);
    if (cleaned != answered) *outcome.response = lang::to_text(cleaned);
  }
  return outcome;
}

}  // namespace catena::worker
