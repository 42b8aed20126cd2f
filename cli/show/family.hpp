#pragma once
// The chains below a chain: how many there are, and those that a person wants to see, as a tree.
#include <string>
#include <vector>

#include "cli/show/table.hpp"
#include "client/questions.hpp"

namespace catena::cli {

struct Family {
  coordinator::FamilyCounts counts = {};
  std::vector<coordinator::ListedChain> chains = {};
  bool partial = false;  // there are too many to show: these have failed or not ended
};
[[nodiscard]] Result<Family> family_of(client::Questions& questions, const ChainId& chain);

/// How many child chains there are, asked now and then while somebody watches.
class FamilyMeter {
 public:
  FamilyMeter(client::Questions& questions, ChainId chain) : questions_{questions}, chain_{std::move(chain)} {}
  /// In words, as of the last time that it was asked.
  [[nodiscard]] const std::string& look(UnixMillis now);

 private:
  client::Questions& questions_;
  ChainId chain_;
  UnixMillis look_at_ = 0;
  std::string words_;
};

/// "12 child chains: 9 succeeded, 2 running, 1 failed"; empty without any.
[[nodiscard]] std::string family_counts_text(const coordinator::FamilyCounts& counts);
/// One line a chain, below its parent; of many that are alike, the first few and their number.
[[nodiscard]] std::vector<std::string> family_lines(const ChainId& root, const Family& family, const Room& room = {});
[[nodiscard]] Json to_json(const Family& family);

}  // namespace catena::cli
