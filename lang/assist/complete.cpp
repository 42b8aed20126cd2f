#include "lang/assist/complete.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/limits.hpp"
#include "lang/assist/probed_text.hpp"
#include "lang/document/document.hpp"
#include "lang/fn/functions.hpp"

namespace catena::lang {
namespace {

/// Nobody writes it, and it is a name wherever a name may stand.
constexpr std::string_view kProbe = "zzCatenaProbezz";

/// The text with the probe in place of the one that is being written, and everything else as it is found.
class ProbedFinder final : public SourceFinder {
 public:
  ProbedFinder(const SourceFinder& finder, Source source) : finder_{finder}, source_{std::move(source)} {}
  [[nodiscard]] Result<Source> definition(std::string_view path, std::string_view from) const override {
    return from.empty() ? Result<Source>{source_} : finder_.definition(path, from);
  }
  [[nodiscard]] Result<Source> named(std::string_view name, std::string_view from) const override { return finder_.named(name, from); }
  [[nodiscard]] Result<std::string> program(std::string_view program, std::string_view from) const override { return finder_.program(program, from); }
  [[nodiscard]] std::vector<std::string> names() const override { return finder_.names(); }
  [[nodiscard]] std::vector<std::string> paths() const override { return finder_.paths(); }

 private:
  const SourceFinder& finder_;
  Source source_;
};

/// What kind of word the checker missed.
CompletionKind kind_of_words(Code code) {
  switch (code) {
    case Code::field_unknown:
    case Code::argument_unknown:
    case Code::response_unmapped: return CompletionKind::key;
    case Code::definition_not_found: return CompletionKind::tool;
    case Code::dependency_unknown: return CompletionKind::step;
    case Code::reference_unknown:
    case Code::reference_syntax:
    case Code::reference_unresolved: return CompletionKind::reference;
    case Code::variable_unknown:
    case Code::function_unknown:
    case Code::expression_syntax: return CompletionKind::function;
    default: return CompletionKind::value;
  }
}

struct Missed {
  std::vector<std::string> known;
  CompletionKind kind = CompletionKind::value;
};

/// What the checker knows in place of the probe; nothing: it did not come across it.
std::optional<Missed> look(std::string text, const std::string& key, const SourceFinder& finder, const Catalog& catalog) {
  Probe probe{std::string{kProbe}};
  const auto package = load_package(key, ProbedFinder{finder, {key, std::move(text)}}, catalog, &probe);
  const auto errors = package ? Diagnostics{} : package.error();
  const auto first = std::ranges::find_if(errors, [](const Error& error) { return error.message.find(kProbe) != std::string::npos; });
  // A key of a response that a tool does not declare is no error: it may return more.
  if (first == errors.end()) return probe.known.empty() ? std::nullopt : std::optional{Missed{std::move(probe.known), CompletionKind::reference}};
  Missed missed{std::move(probe.known), kind_of_words(first->code)};
  if (first->code == Code::function_unknown || first->code == Code::variable_unknown || first->code == Code::expression_syntax) {
    missed.known.insert(missed.known.end(), fn::function_names().begin(), fn::function_names().end());
  }
  return missed.known.empty() ? std::nullopt : std::optional{std::move(missed)};
}

/// A path is completed from its begin, a name from the last character that no name has.
bool completes(const std::string& candidate, const WrittenWord& word) {
  return candidate.starts_with(candidate.find('/') != std::string::npos ? word.path : word.name);
}

}  // namespace

Completions complete(std::string_view text, const std::string& key, const Place& at, const SourceFinder& finder, const Catalog& catalog) {
  Completions told;
  if (text.size() > limits::kDocumentBytesMax) return told;
  const auto offset = offset_of(text, at);
  const auto word = written_word(text, offset);
  for (auto& attempt : probed_texts(text, offset, kProbe)) {
    if (!read_document(attempt.text, key)) continue;
    auto missed = look(std::move(attempt.text), key, finder, catalog);
    if (!missed) continue;
    std::ranges::sort(missed->known);
    missed->known.erase(std::unique(missed->known.begin(), missed->known.end()), missed->known.end());
    bool of_paths = false;
    for (auto& candidate : missed->known) {
      if (!completes(candidate, word) || candidate.find(kProbe) != std::string::npos) continue;
      of_paths = of_paths || candidate.find('/') != std::string::npos;
      auto insert = attempt.before + candidate + attempt.after;
      told.rows.push_back({std::move(candidate), missed->kind, std::move(insert)});
      if (told.rows.size() == kCompletionsMax) break;
    }
    told.column = word.column - static_cast<std::uint32_t>(of_paths ? word.path.size() : word.name.size());
    return told;
  }
  return told;
}

}  // namespace catena::lang
