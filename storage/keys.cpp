#include "storage/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.hpp"
#include "storage/bytes.hpp"

namespace catena::storage {
namespace {

// The key spaces. The letters are on disk.
constexpr char kMeta = 'm';
constexpr char kPackage = 'p';
constexpr char kSummary = 'c';
constexpr char kEvent = 'j';
constexpr char kItem = 'l';
constexpr char kInputs = 'a';
constexpr char kCheckpoint = 'k';
constexpr char kBlob = 'b';
constexpr char kIndex = 'i';
constexpr char kFile = 'f';
constexpr char kFileVersion = 'v';
constexpr char kFilePut = 'w';

constexpr std::string_view kNodeOrder = "node/";  // within the space of meta

constexpr std::size_t kNumbersSizeMax = 12;

std::string plain_key(char space, std::string_view name) {
  std::string key;
  key.reserve(1 + name.size());
  key.push_back(space);
  key.append(name);
  return key;
}

std::string chain_key(char space, const ChainId& chain) {
  std::string key;
  key.reserve(2 + chain.value.size() + kNumbersSizeMax);
  key.push_back(space);
  key.append(chain.value);
  key.push_back('\0');
  return key;
}

std::string visit_key(char space, const ChainId& chain, VisitId visit) {
  auto key = chain_key(space, chain);
  append_be32(key, visit.step);
  append_be32(key, visit.visit);
  return key;
}

std::string path_key(char space, std::string_view path) {
  auto key = plain_key(space, path);
  key.push_back('\0');
  return key;
}

/// The root has no name: "/a" stands in it, and "/a/b" below it.
std::string_view without_root(std::string_view directory) { return directory == "/" ? std::string_view{} : directory; }

/// The first key after all that begin with `prefix`, whose last byte is never 0xff here.
std::string after(std::string prefix) {
  prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

}  // namespace

Result<void> check_chain_id(const ChainId& chain) {
  if (chain.empty()) return fail(Code::id_invalid, "a chain id must not be empty");
  if (chain.value.size() > limits::kChainIdBytesMax) {
    return fail(Code::id_invalid, fmt::format("a chain id has at most {} bytes, this one has {}: '{}…'; choose a shorter id (ids of children "
                                              "begin with their parent's)",
                                              limits::kChainIdBytesMax, chain.value.size(), keys::printable(chain.value.substr(0, 60))));
  }
  if (chain.value.find('\0') != std::string::npos) {
    return fail(Code::id_invalid, fmt::format("a chain id must not contain a NUL byte: '{}'", keys::printable(chain.value)));
  }
  return {};
}

Result<void> check_file_path(std::string_view path) {
  std::string_view why;
  if (path.empty() || path.front() != '/') {
    why = "it must begin with '/'";
  } else if (path.back() == '/') {
    why = "it names a directory, not a file in it";
  } else if (path.find("//") != std::string_view::npos) {
    why = "a part of it is empty";
  } else if (path.find('\0') != std::string_view::npos) {
    why = "it contains a NUL byte";
  } else if (path.size() > kFilePathBytesMax) {
    why = "it is too long";
  }
  if (why.empty()) return {};
  return fail(Code::file_path_invalid, fmt::format("'{}' is no path of a file: {}", keys::printable(path.substr(0, 80)), why));
}

namespace keys {

std::string meta(std::string_view name) { return plain_key(kMeta, name); }
std::string node_order(const WorkerId& worker) { return meta(std::string{kNodeOrder} + worker.value); }
std::string package(std::string_view hash) { return plain_key(kPackage, hash); }
std::string blob(std::string_view hash, std::uint32_t part) {
  auto key = plain_key(kBlob, hash);
  append_be32(key, part);
  return key;
}
std::string summary(const ChainId& chain) { return chain_key(kSummary, chain); }
std::string checkpoint(const ChainId& chain) { return chain_key(kCheckpoint, chain); }

std::string event(const ChainId& chain, Sequence sequence) {
  auto key = chain_key(kEvent, chain);
  append_be64(key, sequence.value);
  return key;
}

std::string item(const ChainId& chain, VisitId visit, ItemIndex item) {
  auto key = visit_key(kItem, chain, visit);
  append_be32(key, item);
  return key;
}

std::string inputs(const ChainId& chain, VisitId visit, std::uint32_t chunk) {
  auto key = visit_key(kInputs, chain, visit);
  append_be32(key, chunk);
  return key;
}

std::string index(std::string_view status, UnixMillis started_at, const ChainId& chain) {
  auto key = plain_key(kIndex, status);
  key.push_back('\0');
  // Flipping the sign bit orders negative times before positive ones; flipping all bits then turns the order round.
  append_be64(key, ~(static_cast<std::uint64_t>(started_at) ^ (std::uint64_t{1} << 63U)));
  key.append(chain.value);
  return key;
}

std::string file(std::string_view path) {
  auto key = plain_key(kFile, path);
  if (const auto slash = key.rfind('/'); slash != std::string::npos) key[slash] = '\0';
  return key;
}

std::string file_version(std::string_view path, std::uint64_t version) {
  auto key = path_key(kFileVersion, path);
  append_be64(key, ~version);
  return key;
}

std::string file_put(std::string_view path, std::string_view mark) {
  auto key = path_key(kFilePut, path);
  key.append(mark);
  return key;
}

Range events(const ChainId& chain, Sequence from) { return {event(chain, from), after(chain_key(kEvent, chain))}; }

Range items(const ChainId& chain, VisitId visit, ItemIndex from, ItemIndex to) { return {item(chain, visit, from), item(chain, visit, to)}; }

Range summaries_below(const ChainId& chain) {
  auto from = plain_key(kSummary, chain.value) + '/';
  auto to = after(from);
  return {std::move(from), std::move(to)};
}

Range node_controls() {
  auto prefix = meta(kNodeOrder);
  return {prefix, after(prefix)};
}

Range index_of(std::string_view status) {
  auto prefix = plain_key(kIndex, status);
  prefix.push_back('\0');
  return {prefix, after(prefix)};
}

Range files_in(std::string_view directory) {
  auto prefix = path_key(kFile, without_root(directory));
  return {prefix, after(prefix)};
}

Range files_below(std::string_view directory) {
  auto prefix = plain_key(kFile, without_root(directory));
  prefix.push_back('/');
  return {prefix, after(prefix)};
}

Range file_versions(std::string_view path) {
  auto prefix = path_key(kFileVersion, path);
  return {prefix, after(prefix)};
}

std::optional<Sequence> sequence_of(std::string_view event_key) {
  const auto end = event_key.find('\0');
  if (end == std::string_view::npos || event_key.size() != end + 1 + 8) return {};
  return read_be64(event_key.substr(end + 1));
}

std::optional<ItemIndex> item_of(std::string_view item_key) {
  const auto end = item_key.find('\0');
  if (end == std::string_view::npos || item_key.size() != end + 1 + 12) return {};
  return read_be32(item_key.substr(end + 1 + 8));
}

std::optional<ChainId> chain_of_summary(std::string_view summary_key) {
  if (summary_key.size() < 3 || summary_key.front() != kSummary || summary_key.back() != '\0') return std::nullopt;
  return ChainId{std::string{summary_key.substr(1, summary_key.size() - 2)}};
}

std::optional<ChainId> chain_of_index(std::string_view index_key) {
  const auto end = index_key.find('\0');
  if (end == std::string_view::npos || index_key.size() <= end + 1 + 8) return {};
  return ChainId{std::string{index_key.substr(end + 1 + 8)}};
}

WorkerId worker_of_order(std::string_view node_order_key) {
  return WorkerId{std::string{node_order_key.substr(std::min(1 + kNodeOrder.size(), node_order_key.size()))}};
}

std::optional<std::string> path_of_file(std::string_view file_key) {
  const auto end = file_key.find('\0');
  if (file_key.empty() || end == std::string_view::npos || end + 1 == file_key.size()) return {};
  std::string path{file_key.substr(1)};
  path[end - 1] = '/';
  return path;
}

std::optional<std::uint64_t> version_of_file(std::string_view file_version_key) {
  const auto end = file_version_key.find('\0');
  if (end == std::string_view::npos || file_version_key.size() != end + 1 + 8) return {};
  return ~read_be64(file_version_key.substr(end + 1));
}

std::string printable(std::string_view key) {
  std::string text;
  for (const auto byte : key) {
    if (byte >= 0x20 && byte < 0x7f) {
      text.push_back(byte);
    } else {
      fmt::format_to(std::back_inserter(text), "\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return text;
}

}  // namespace keys
}  // namespace catena::storage
