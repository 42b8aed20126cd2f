# Targets of catena: one library a folder, one test program a folder.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

# ccache speeds a rebuild; sloppiness lets it cache what uses a precompiled header.
find_program(CATENA_CCACHE ccache)
if(CATENA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${CATENA_CCACHE})
endif()

# The debug information of the dev preset is what linking takes its time for: 7 s with the default linker, 5 s with gold, 1 s with lld.
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  find_program(CATENA_LLD ld.lld)
  find_program(CATENA_GOLD ld.gold)
  if(CATENA_LLD)
    add_link_options(-fuse-ld=lld)
  elseif(CATENA_GOLD)
    add_link_options(-fuse-ld=gold)
  endif()
endif()

set(CATENA_SANITIZE "" CACHE STRING "address;undefined | thread | empty")
# Compiling what has actors takes most of the time of a build, and its tests wait more than they compute: a build with sanitizers optimises only the rest.
set(CATENA_ACTOR_OPTIONS "" CACHE STRING "further compiler options of what has actors, and of its tests")

# What is compiled with these precompiled headers has the options of what has actors: catena_actor_options(TARGET PRECOMPILED)
function(catena_actor_options target precompiled)
  if(precompiled MATCHES "actor|cli")
    target_compile_options(${target} PRIVATE ${CATENA_ACTOR_OPTIONS})
  endif()
endfunction()

# Warnings are errors on our own targets; libraries come in as SYSTEM.
function(catena_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
  # RE2 asks for it; precompiled headers ask that all sources have the same flags
  target_compile_options(${target} PRIVATE -pthread)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc needs this for ccache to see through a precompiled header
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # clang would refuse a precompiled header from ccache once a system header was installed again, though its text is the same
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_compile_definitions(${target} PRIVATE CAF_ENABLE_TYPE_ID_CHECKS SPDLOG_FMT_EXTERNAL)
  if(CATENA_FAILPOINTS)
    target_compile_definitions(${target} PRIVATE CATENA_FAILPOINTS)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  if(CATENA_FUZZ)
    # coverage for libFuzzer, whose main only the fuzz targets link
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(CATENA_SANITIZE)
    target_compile_definitions(${target} PRIVATE CATENA_SANITIZED)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # instrumented code makes gcc see uninitialised members of empty optionals
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    else()
      # the warnings that count are those of gcc, in the builds without sanitizers
      target_compile_options(${target} PRIVATE -w)
    endif()
  endif()
  if(CATENA_SANITIZE STREQUAL "address;undefined")
    # null and vptr have false findings inside CAF's headers. The other five are a third of the time of a build, and hardly find what the address sanitizer and x86 let pass.
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined
      -fno-sanitize=null,vptr,alignment,object-size,pointer-overflow,nonnull-attribute,returns-nonnull-attribute
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  elseif(CATENA_SANITIZE STREQUAL "thread")
    target_compile_definitions(${target} PRIVATE CATENA_SANITIZE_THREAD)
    target_compile_options(${target} PRIVATE -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=thread)
  elseif(CATENA_SANITIZE STREQUAL "coverage")
    target_compile_options(${target} PRIVATE --coverage)
    target_link_options(${target} PRIVATE --coverage)
  endif()
endfunction()

# catena_precompiled(NAME LINK targets... HEADERS headers...): precompiled headers of libraries that hardly change, made once for many targets:
# making one takes as long as compiling a file. gcc takes them only where all flags, and all macros that they know, are the same.
function(catena_precompiled name)
  cmake_parse_arguments(arg "" "" "LINK;HEADERS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  catena_options(${name})
  catena_actor_options(${name} ${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# catena_library(NAME LINK targets... PRECOMPILED NAME): all sources of this folder and its subfolders.
function(catena_library name)
  cmake_parse_arguments(arg "" "PRECOMPILED" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(catena_${name} STATIC ${sources})
  catena_options(catena_${name})
  catena_actor_options(catena_${name} ${arg_PRECOMPILED})
  target_include_directories(catena_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(catena_${name} PUBLIC ${arg_LINK})
  target_precompile_headers(catena_${name} REUSE_FROM ${arg_PRECOMPILED})
endfunction()
