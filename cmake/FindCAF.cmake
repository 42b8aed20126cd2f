# FindCAF: imported targets CAF::core and others for a CAF that ships no package config
# (Debian's 0.17.6). A real CAFConfig.cmake, where one is installed, wins.
#   find_package(CAF 0.17.6 REQUIRED COMPONENTS core)
include(FindPackageHandleStandardArgs)

if(NOT CAF_FIND_COMPONENTS)
  set(CAF_FIND_COMPONENTS core)
endif()

find_path(CAF_INCLUDE_DIR NAMES caf/all.hpp)
mark_as_advanced(CAF_INCLUDE_DIR)

# "#define CAF_VERSION 1706" means 0.17.6
if(CAF_INCLUDE_DIR AND EXISTS "${CAF_INCLUDE_DIR}/caf/config.hpp")
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _caf_line REGEX "^#define CAF_VERSION [0-9]+")
  string(REGEX REPLACE "[^0-9]" "" _caf_num "${_caf_line}")
  if(_caf_num)
    math(EXPR _caf_major "${_caf_num} / 10000")
    math(EXPR _caf_minor "(${_caf_num} / 100) % 100")
    math(EXPR _caf_patch "${_caf_num} % 100")
    set(CAF_VERSION "${_caf_major}.${_caf_minor}.${_caf_patch}")
  endif()
endif()

find_package(Threads QUIET)

foreach(_component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${_component}_LIBRARY NAMES caf_${_component})
  mark_as_advanced(CAF_${_component}_LIBRARY)
  # The header tells a -dev package from a bare runtime library.
  set(_header caf/${_component}/all.hpp)
  if(_component STREQUAL "core")
    set(_header caf/all.hpp)
  endif()
  if(CAF_${_component}_LIBRARY AND EXISTS "${CAF_INCLUDE_DIR}/${_header}")
    set(CAF_${_component}_FOUND TRUE)
  endif()
endforeach()

find_package_handle_standard_args(CAF
  REQUIRED_VARS CAF_INCLUDE_DIR VERSION_VAR CAF_VERSION HANDLE_COMPONENTS)

if(CAF_FOUND)
  foreach(_component IN LISTS CAF_FIND_COMPONENTS)
    if(CAF_${_component}_FOUND AND NOT TARGET CAF::${_component})
      add_library(CAF::${_component} UNKNOWN IMPORTED)
      set_target_properties(CAF::${_component} PROPERTIES
        IMPORTED_LOCATION "${CAF_${_component}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}")
    endif()
  endforeach()
  if(TARGET CAF::core)
    set_property(TARGET CAF::core APPEND PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads)
  endif()
endif()
