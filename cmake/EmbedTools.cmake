# Writes a C++ source with the text of every core tool: cmake -DFOLDER=worker/core -DOUTPUT=core_texts.cpp -P EmbedTools.cmake
file(GLOB tools RELATIVE ${FOLDER} ${FOLDER}/*.tool)
list(SORT tools)
set(rows "")
foreach(tool IN LISTS tools)
  file(READ ${FOLDER}/${tool} text)
  string(APPEND rows "    CoreTool{\"/tools/core/${tool}\", R\"catena(${text})catena\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made from worker/core/*.tool by cmake/EmbedTools.cmake.
#include \"worker/core_tools.hpp\"

#include <array>

namespace catena::worker {
namespace {

constexpr std::array kTools{
${rows}};

}  // namespace

std::span<const CoreTool> core_tools() { return kTools; }

}  // namespace catena::worker
")
