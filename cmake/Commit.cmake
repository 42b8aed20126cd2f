# catena_commit(VARIABLE): the short hash of the commit that is built, or nothing where the sources are no git checkout. A build without history, as that of
# the container image, says it with -DCATENA_COMMIT=HASH. It is read when CMake configures, and CMake configures again after a commit.
set(CATENA_COMMIT "" CACHE STRING "the commit that is built, where the sources do not know it")

function(catena_commit variable)
  set(${variable} "${CATENA_COMMIT}" PARENT_SCOPE)
  find_program(CATENA_GIT git)
  if(CATENA_COMMIT OR NOT CATENA_GIT)
    return()
  endif()
  # an unpacked archive may lie somewhere inside another checkout, whose commit is none of ours: only at the top is the prefix empty
  execute_process(COMMAND ${CATENA_GIT} rev-parse --show-prefix --git-path logs/HEAD --short=12 HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT said MATCHES "^\n([^\n]+)\n([0-9a-f]+)\n$")
    return()
  endif()
  set(${variable} "${CMAKE_MATCH_2}" PARENT_SCOPE)
  get_filename_component(log "${CMAKE_MATCH_1}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  if(EXISTS "${log}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${log}")
  endif()
endfunction()
