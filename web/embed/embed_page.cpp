// embed_page DIRECTORY OUT FUNCTION: writes OUT.S, which has the compressed files of the directory, and OUT.cpp, the table of them that FUNCTION
// answers. The same files make the same bytes: no time, no path and no order of the directory is in them.
#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return text;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file{path, std::ios::binary};
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string gzip(std::string text) {
  constexpr int kWindow = 15 + 16;  // the largest, with the header of gzip, in which zlib writes no time
  constexpr int kMemory = 9;
  z_stream stream{};
  if (::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("no zlib");
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool whole = ::deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (!whole) throw std::runtime_error("zlib does not end");
  return out;
}

std::string sha256(const std::string& text) {
  std::array<unsigned char, 32> digest{};
  if (::EVP_Digest(text.data(), text.size(), digest.data(), nullptr, ::EVP_sha256(), nullptr) != 1) throw std::runtime_error("no SHA-256");
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += "0123456789abcdef"[byte >> 4U];
    hex += "0123456789abcdef"[byte & 15U];
  }
  return hex;
}

std::string type_of(const std::string& name) {
  const auto ending = name.substr(std::min(name.rfind('.'), name.size()));
  if (ending == ".html") return "text/html; charset=utf-8";
  if (ending == ".js") return "text/javascript; charset=utf-8";
  if (ending == ".css") return "text/css; charset=utf-8";
  if (ending == ".svg") return "image/svg+xml";
  if (ending == ".json") return "application/json";
  if (ending == ".woff2") return "font/woff2";
  if (ending == ".png") return "image/png";
  return "";
}

/// "app-3F2K9QZT.js": what stands between the last dash and the ending is a hash of the content.
bool is_hashed(const std::string& name) {
  const auto dash = name.rfind('-');
  const auto dot = name.find('.', dash == std::string::npos ? 0 : dash);
  if (dash == std::string::npos || dot == std::string::npos) return false;
  const auto hash = name.substr(dash + 1, dot - dash - 1);
  return hash.size() == 8 && std::ranges::all_of(hash, [](unsigned char c) { return std::isalnum(c) != 0; });
}

void embed(const std::filesystem::path& directory, const std::filesystem::path& out, const std::string& function) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator{directory, none}) {
    const auto name = entry.path().filename().string();
    if (entry.is_regular_file() && !type_of(name).empty()) names.push_back(name);
  }
  std::ranges::sort(names);
  std::string assembler = "  .section .rodata\n";
  std::string table;
  std::string declared;
  for (std::size_t at = 0; at < names.size(); ++at) {
    const auto text = read(directory / names[at]);
    const auto packed = out.string() + "." + std::to_string(at) + ".gz";
    const auto zipped = gzip(text);
    write(packed, zipped);
    const auto symbol = "catena_" + function + "_" + std::to_string(at);
    assembler += "  .global " + symbol + "\n" + symbol + ":\n  .incbin \"" + packed + "\"\n";
    declared += "extern const char " + symbol + "[];\n";
    table += "    PageFile{\"" + names[at] + "\", \"" + type_of(names[at]) + "\", \"" + sha256(text) + "\", {" + symbol + ", " +
             std::to_string(zipped.size()) + "}, " + std::to_string(text.size()) + ", " + (is_hashed(names[at]) ? "true" : "false") + "},\n";
  }
  assembler += "  .section .note.GNU-stack,\"\",%progbits\n";
  write(out.string() + ".S", assembler);
  write(out.string() + ".cpp", "// written by embed_page\n#include \"api/page.hpp\"\n\n#include <vector>\n\nextern \"C\" {\n" + declared +
                                   "}\n\nnamespace catena::api {\n\nstd::span<const PageFile> " + function +
                                   "() {\n  static const std::vector<PageFile> files{\n" + table +
                                   "  };\n  return files;\n}\n\n}  // namespace catena::api\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: embed_page DIRECTORY OUT FUNCTION\n";
    return 2;
  }
  try {
    embed(argv[1], argv[2], argv[3]);
  } catch (const std::exception& wrong) {
    std::cerr << "embed_page: " << wrong.what() << "\n";
    return 1;
  }
  return 0;
}
