#pragma once
// The packages that somebody has, by hash. Clients choose how many packages there are in the course of time: what nobody has any more is
// dropped each time as many have come as were left the last time. The last few that came stay: chains that sleep have none, and come back one after
// the other.
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "lang/package/package.hpp"

namespace catena::coordinator {

class LivePackages {
 public:
  void put(const std::string& hash, const std::shared_ptr<const lang::Package>& package) {
    packages_.insert_or_assign(hash, package);
    recent_[next_recent_++ % recent_.size()] = package;
    if (packages_.size() < sweep_at_) return;
    std::erase_if(packages_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = std::max(kSweepLeast, 2 * packages_.size());
  }
  /// Null: nobody has it.
  [[nodiscard]] std::shared_ptr<const lang::Package> find(const std::string& hash) const {
    const auto known = packages_.find(hash);
    return known == packages_.end() ? nullptr : known->second.lock();
  }
  /// Those that nobody has any more included.
  [[nodiscard]] std::size_t size() const { return packages_.size(); }

 private:
  static constexpr std::size_t kSweepLeast = 64;

  static constexpr std::size_t kRecent = 4;

  std::map<std::string, std::weak_ptr<const lang::Package>> packages_;
  std::array<std::shared_ptr<const lang::Package>, kRecent> recent_;
  std::size_t next_recent_ = 0;
  std::size_t sweep_at_ = kSweepLeast;
};

}  // namespace catena::coordinator
