#include "storage/anchor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/hash.hpp"
#include "storage/bytes.hpp"

namespace catena::storage {
namespace {

// A slot is magic (8), number (8), checksum of both (4). The slots lie in different blocks of the disk, so one torn write hits one.
constexpr std::string_view kMagic = "catanchr";
constexpr std::size_t kSlotSize = 20;
constexpr off_t kSlotDistance = 4096;
constexpr unsigned kSlots = 2;

using SlotNumbers = std::array<std::optional<std::uint64_t>, kSlots>;

tl::unexpected<Error> io_error(std::string_view what, const std::string& file) {
  const auto code = errno;
  return fail(Code::storage_io,
              fmt::format("cannot {} '{}': {}; check the disk and the permissions of the data directory", what, file,
                          std::generic_category().message(code)));
}

off_t offset_of(unsigned slot) { return static_cast<off_t>(slot) * kSlotDistance; }

/// Each slot's number; nothing for one that was never written, or only in part.
SlotNumbers read_slots(int descriptor) {
  SlotNumbers numbers;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    std::array<char, kSlotSize> bytes{};
    if (::pread(descriptor, bytes.data(), bytes.size(), offset_of(slot)) != static_cast<ssize_t>(bytes.size())) continue;
    const std::string_view text{bytes.data(), bytes.size()};
    const auto body = text.substr(0, kSlotSize - 4);
    if (!body.starts_with(kMagic) || read_be32(text.substr(body.size())) != checksum(body)) continue;
    numbers[slot] = read_be64(body.substr(kMagic.size()));
  }
  return numbers;
}

}  // namespace

Result<Anchor> Anchor::open(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return io_error("open", file.string());
  const auto numbers = read_slots(descriptor);
  const bool first_is_last = numbers[0].value_or(0) > numbers[1].value_or(0);
  const auto number = first_is_last ? *numbers[0] : numbers[1].value_or(0);
  return Anchor{descriptor, number, first_is_last ? 1U : 0U};
}

Result<std::uint64_t> Anchor::read(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return std::uint64_t{0};
  if (descriptor < 0) return io_error("read", file.string());
  const auto numbers = read_slots(descriptor);
  ::close(descriptor);
  return std::max(numbers[0].value_or(0), numbers[1].value_or(0));
}

Anchor::Anchor(Anchor&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)}, number_{other.number_}, next_slot_{other.next_slot_} {}

Anchor& Anchor::operator=(Anchor&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  number_ = other.number_;
  next_slot_ = other.next_slot_;
  return *this;
}

Anchor::~Anchor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> Anchor::record(std::uint64_t number) {
  if (auto written = write_slot(next_slot_, number); !written) return written;
  number_ = number;
  next_slot_ = (next_slot_ + 1) % kSlots;
  return {};
}

Result<void> Anchor::reset(std::uint64_t number) {
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    if (auto written = write_slot(slot, number); !written) return written;
  }
  number_ = number;
  return {};
}

Result<void> Anchor::write_slot(unsigned slot, std::uint64_t number) const {
  std::string bytes{kMagic};
  append_be64(bytes, number);
  append_be32(bytes, checksum(bytes));
  if (::pwrite(descriptor_, bytes.data(), bytes.size(), offset_of(slot)) != static_cast<ssize_t>(bytes.size())) {
    return io_error("write", "the anchor of the data directory");
  }
  return {};
}

}  // namespace catena::storage
