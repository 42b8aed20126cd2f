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
  return fail(Code::storage_io, fmt::format("cannot {} '{}': {}; check the disk and the permissions of the data directory", what, file,
                                            std::generic_category().message(code)));
}

off_t offset_of(unsigned slot) { return static_cast<off_t>(slot) * kSlotDistance; }

struct SlotsRead {
  SlotNumbers numbers;   // nothing for a slot that was never written, or only in part
  bool damaged = false;  // a slot holds what is no number
};

/// Space that a file system has reserved and not filled, reads as zeros.
bool never_written(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

Result<SlotsRead> read_slots(int descriptor, const std::string& file) {
  SlotsRead read;
  for (unsigned slot = 0; slot < kSlots; ++slot) {
    std::array<char, kSlotSize> bytes{};
    const auto size = ::pread(descriptor, bytes.data(), bytes.size(), offset_of(slot));
    if (size < 0) return io_error("read", file);
    const std::string_view text{bytes.data(), static_cast<std::size_t>(size)};
    if (never_written(text)) continue;
    const auto body = text.substr(0, kSlotSize - 4);
    if (text.size() == kSlotSize && body.starts_with(kMagic) && read_be32(text.substr(body.size())) == checksum(body)) {
      read.numbers[slot] = read_be64(body.substr(kMagic.size()));
    } else {
      read.damaged = true;
    }
  }
  return read;
}

/// A torn write damages one slot and leaves the other.
Result<SlotNumbers> usable_slots(int descriptor, const std::string& file, DamagedAnchor damaged) {
  const auto read = read_slots(descriptor, file);
  if (!read) return fail(read.error());
  if (!read->damaged || read->numbers[0] || read->numbers[1] || damaged == DamagedAnchor::forget) return read->numbers;
  return fail(Code::storage_corrupt,
              fmt::format("the anchor '{}' is damaged: it cannot be said whether the data beside it is all that was acknowledged. Restore the "
                          "data directory from a backup, or go on with what is there by CATENA_STORAGE__ACCEPT_REWOUND=true",
                          file));
}

}  // namespace

Result<Anchor> Anchor::open(const std::filesystem::path& file, DamagedAnchor damaged) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return io_error("open", file.string());
  Anchor anchor{descriptor, 0, 0};
  const auto numbers = usable_slots(descriptor, file.string(), damaged);
  if (!numbers) return fail(numbers.error());
  const auto& [first, second] = *numbers;
  const bool first_is_last = first.value_or(0) > second.value_or(0);
  anchor.number_ = first_is_last ? *first : second.value_or(0);
  anchor.next_slot_ = first_is_last ? 1U : 0U;
  return anchor;
}

Result<std::uint64_t> Anchor::read(const std::filesystem::path& file, DamagedAnchor damaged) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return std::uint64_t{0};
  if (descriptor < 0) return io_error("read", file.string());
  const auto numbers = usable_slots(descriptor, file.string(), damaged);
  ::close(descriptor);
  if (!numbers) return fail(numbers.error());
  return std::max((*numbers)[0].value_or(0), (*numbers)[1].value_or(0));
}

Anchor::Anchor(Anchor&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)}, number_{other.number_}, next_slot_{other.next_slot_} {}

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
