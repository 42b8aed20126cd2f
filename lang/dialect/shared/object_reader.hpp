#pragma once
// Reads the members of one object of a definition. Whatever is wrong is reported once, with its place; the getters then give
// nothing, as if the member were absent, so that reading goes on and finds the rest.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "lang/document/document.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

/// "a list", "an object": for messages.
[[nodiscard]] std::string with_article(JsonKind kind);

class ObjectReader {
 public:
  /// `object` is one, and `what` begins the messages: "step 'x'".
  ObjectReader(const Node& object, std::string what, Report& report) : object_{object}, what_{std::move(what)}, report_{report} {}

  /// Reports every member that is not among `known`; `why` may know more of one, or says nothing.
  void only(std::span<const std::string_view> known, const std::function<std::string(std::string_view key)>& why = {});
  [[nodiscard]] bool has(std::string_view key) const { return object_.find(key) != nullptr; }
  /// Reports the absence of a member that has to be there.
  void require(std::string_view key, std::string_view hint);
  /// Reports what is wrong with a member.
  void wrong(Code code, std::string_view key, std::string_view message, const Place& where);

  [[nodiscard]] const Node* any(std::string_view key) const { return object_.find(key); }
  [[nodiscard]] const Node* of_kind(std::string_view key, JsonKind kind);
  [[nodiscard]] std::optional<std::string> string(std::string_view key);
  [[nodiscard]] std::optional<std::string> non_empty_string(std::string_view key);
  [[nodiscard]] std::optional<bool> boolean(std::string_view key);
  [[nodiscard]] std::optional<double> number(std::string_view key, double least, double most);
  [[nodiscard]] std::optional<std::uint32_t> count(std::string_view key, std::uint32_t least);
  [[nodiscard]] std::optional<Millis> duration(std::string_view key, Millis least);
  /// Strings that are not empty; those that are wrong are reported and left out.
  [[nodiscard]] std::vector<std::string> strings(std::string_view key);

  template <class E>
  struct Choice {
    std::string_view name;
    E value;
  };
  template <class E, std::size_t N>
  [[nodiscard]] std::optional<E> choice(std::string_view key, const Choice<E> (&choices)[N]) {
    std::vector<std::string> names;
    for (const auto& each : choices) names.emplace_back(each.name);
    const auto index = chosen(key, names);
    return index ? std::optional<E>{choices[*index].value} : std::nullopt;
  }

  [[nodiscard]] const Node& object() const { return object_; }
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  void offer_absent(std::vector<std::string> names);
  [[nodiscard]] std::optional<std::size_t> chosen(std::string_view key, const std::vector<std::string>& names);

  const Node& object_;
  std::string what_;
  Report& report_;
};

}  // namespace catena::lang
