#pragma once
// A small file beside the database that remembers the number of the last durable commit. A database that recovers to less has lost
// acknowledged data, however consistent it looks: that is how a truncated or deleted log is found. Two slots are written in turn, so a
// torn write leaves the other; nothing is synced, because an anchor that lags only notices less. An anchor that is there and cannot be read
// is an error: nobody can say then what was promised.
#include <cstdint>
#include <filesystem>

#include "base/result.hpp"

namespace catena::storage {

/// What to do about an anchor of which neither slot can be read.
enum class DamagedAnchor : std::uint8_t {
  refuse,
  forget,  // its number is 0 then: for an operator who goes on with what is there
};

class Anchor {
 public:
  /// Opens the file, creates it where there is none. Errors: storage_io, storage_corrupt.
  [[nodiscard]] static Result<Anchor> open(const std::filesystem::path& file, DamagedAnchor damaged = DamagedAnchor::refuse);
  /// The number it holds without opening it for writing; 0 where there is no anchor, or one in which nothing was ever recorded.
  /// Errors: storage_io, storage_corrupt.
  [[nodiscard]] static Result<std::uint64_t> read(const std::filesystem::path& file, DamagedAnchor damaged = DamagedAnchor::refuse);

  Anchor(Anchor&& other) noexcept;
  Anchor& operator=(Anchor&& other) noexcept;
  Anchor(const Anchor&) = delete;
  Anchor& operator=(const Anchor&) = delete;
  ~Anchor();

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] Result<void> record(std::uint64_t number);
  /// Forgets what both slots held: for an operator who goes on with a database that lost something.
  [[nodiscard]] Result<void> reset(std::uint64_t number);

 private:
  Anchor(int descriptor, std::uint64_t number, unsigned next_slot) : descriptor_{descriptor}, number_{number}, next_slot_{next_slot} {}
  Result<void> write_slot(unsigned slot, std::uint64_t number) const;

  int descriptor_ = -1;
  std::uint64_t number_ = 0;
  unsigned next_slot_ = 0;
};

}  // namespace catena::storage
