#include "lang/program/report.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace catena::lang {

std::vector<Error> Report::in_order(std::vector<Error> found) const {
  std::map<std::string_view, std::size_t> rank;
  for (const auto& file : documents_) rank.emplace(file, rank.size() + 1);
  const auto position = [&](const Error& error) {
    const auto row = rank.find(error.where.file);
    return std::tuple{row == rank.end() ? std::size_t{0} : row->second, error.where.line, error.where.column};
  };
  std::ranges::stable_sort(found, {}, position);
  return found;
}

}  // namespace catena::lang
