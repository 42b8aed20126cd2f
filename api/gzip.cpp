#include "api/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <stdexcept>

namespace catena::api {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with the header and the checksum of gzip
constexpr int kMemoryLevel = 8;
constexpr int kFast = 1;  // more takes a multiple of the time for a few percent
constexpr std::size_t kPieceBytes = 64UL << 10U;

Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT: the library reads it, and its interface is older than const
}

/// What the library holds, until it goes.
class Inflater {
 public:
  Inflater() {
    if (::inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc{};
  }
  ~Inflater() { ::inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream stream{};
};
class Deflater {
 public:
  Deflater() {
    if (::deflateInit2(&stream, kFast, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc{};
  }
  ~Deflater() { ::deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  z_stream stream{};
};

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string compressed(std::string_view bytes) {
  Deflater deflater;
  auto& stream = deflater.stream;
  std::string out;
  std::array<char, kPieceBytes> piece;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && !bytes.empty()) {  // the library counts in 32 bits
      const auto next = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream.next_in = bytes_of(bytes);
      stream.avail_in = static_cast<uInt>(next);
      bytes.remove_prefix(next);
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = ::deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    if (state == Z_STREAM_ERROR) throw std::logic_error{"gzip: the compressor has lost its state"};
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  return out;
}

Result<std::string> decompressed(std::string_view bytes, std::size_t bytes_max) {
  Inflater inflater;
  auto& stream = inflater.stream;
  if (bytes.size() > std::numeric_limits<uInt>::max()) return fail(Code::request_too_large, "the body is too large");
  stream.next_in = bytes_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, kPieceBytes> piece;
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int state = ::inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
    if (out.size() > bytes_max)
      return fail(Code::request_too_large, fmt::format("the body has more than {} bytes when it is decompressed, and no more are read", bytes_max));
    if (state == Z_STREAM_END) break;
    if (state != Z_OK) return fail(Code::request_invalid, "the body has `Content-Encoding: gzip`, and is no gzip, or not whole");
  }
  if (stream.avail_in > 0) return fail(Code::request_invalid, "there are bytes behind the gzip of the body");
  return out;
}

bool takes_gzip(std::string_view accept_encoding) {
  for (std::size_t from = 0; from < accept_encoding.size();) {
    const auto end = std::min(accept_encoding.find(',', from), accept_encoding.size());
    const auto one = accept_encoding.substr(from, end - from);
    from = end + 1;
    const auto semicolon = one.find(';');
    if (trimmed(one.substr(0, semicolon)) != "gzip") continue;
    if (semicolon == std::string_view::npos) return true;
    // "q=0", "q=0.0": not this
    const auto weight = trimmed(one.substr(semicolon + 1));
    return !weight.starts_with("q=") || weight.find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

}  // namespace catena::api
