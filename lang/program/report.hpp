#pragma once
// Collects what is wrong with the documents of a package, so that a person sees all of it at once.
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/suggest.hpp"

namespace catena::lang {

/// A word that stands in a document for what is still to be written there, and the words that the checker would have known in its place.
struct Probe {
  std::string word = {};
  std::vector<std::string> known = {};
};

class Report {
 public:
  /// `probe` null: nobody asks. It must outlive the report.
  explicit Report(Probe* probe = nullptr) : probe_{probe} {}

  /// Documents are reported in the order in which they were begun, whatever order they are checked in.
  void begin_document(std::string file) { documents_.push_back(std::move(file)); }

  void error(Error error) { errors_.push_back(std::move(error)); }
  void error(Code code, std::string message, Place where) { error(make_error(code, std::move(message), std::move(where))); }
  void warn(Code code, std::string message, Place where) { warnings_.push_back(make_error(code, std::move(message), std::move(where))); }

  /// "; did you mean 'x'?" or nothing. A document that is wrong in hundreds of places gets no further suggestions:
  /// comparing every name with every other is quadratic.
  [[nodiscard]] std::string suggestion(std::string_view wanted, std::span<const std::string> known) const {
    if (is_probe(wanted)) return offer(known);
    return errors_.size() < kErrorsWithSuggestions ? did_you_mean(wanted, known) : std::string{};
  }
  /// The same, where the names have to be gathered first.
  [[nodiscard]] std::string suggestion(std::string_view wanted, const std::invocable auto& gather) const {
    if (is_probe(wanted)) return offer(gather());
    return errors_.size() < kErrorsWithSuggestions ? did_you_mean(wanted, gather()) : std::string{};
  }

  [[nodiscard]] bool clean() const { return errors_.empty(); }
  /// By document, line and column.
  [[nodiscard]] std::vector<Error> take_errors() { return in_order(std::move(errors_)); }
  [[nodiscard]] std::vector<Error> take_warnings() { return in_order(std::move(warnings_)); }

  [[nodiscard]] bool is_probe(std::string_view word) const { return probe_ != nullptr && word.find(probe_->word) != std::string_view::npos; }
  /// No hint: what is known in place of the probe is for whoever asks.
  std::string offer(std::span<const std::string> known) const {
    probe_->known.insert(probe_->known.end(), known.begin(), known.end());
    return {};
  }

 private:
  static constexpr std::size_t kErrorsWithSuggestions = 100;
  [[nodiscard]] std::vector<Error> in_order(std::vector<Error> found) const;

  std::vector<std::string> documents_;
  std::vector<Error> errors_;
  std::vector<Error> warnings_;
  Probe* probe_;
};

}  // namespace catena::lang
