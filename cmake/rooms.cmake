# steno_room(NAME SOURCES ... USES ... LIBRARIES ...)
#
# One folder under src/ is one library, steno_<name>. A room may include only the headers of the rooms
# in USES: each room's headers are published under a folder of their own in the build tree, so a wrong
# arrow does not compile.
function(steno_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  set(target steno_${name})
  add_library(${target} STATIC ${ROOM_SOURCES})
  set(include_root ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${include_root})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${include_root}/${name} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${include_root})
  foreach(used IN LISTS ROOM_USES)
    # INTERFACE_INCLUDE_DIRECTORIES of the used room only: arrows are not transitive for the compiler...
    target_include_directories(${target} PUBLIC ${CMAKE_BINARY_DIR}/rooms/${used})
    # ...but the linker needs the whole closure.
    target_link_libraries(${target} PUBLIC $<LINK_ONLY:steno_${used}>)
    add_dependencies(${target} steno_${used})
  endforeach()
  target_link_libraries(${target} PRIVATE fmt::fmt nlohmann_json::nlohmann_json Threads::Threads
                                          ${ROOM_LIBRARIES})
  steno_compile_options(${target})
endfunction()

function(steno_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                         -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
  if(NOT STENO_SANITIZE)  # the instrumentation makes GCC warn of uses that are not there
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 warns falsely about std::string's operator+ (GCC bug 105329).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  target_compile_definitions(${target} PRIVATE STENO_VERSION="${PROJECT_VERSION}")
  # x86-64-v2 is the floor for every file; kernels that need more are compiled one by one (ops/cpu).
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PRIVATE -march=x86-64-v2)
  endif()
  if(STENO_HARDENED)
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  endif()
  if(STENO_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${STENO_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${STENO_SANITIZE})
    if(STENO_SANITIZE MATCHES "undefined")
      target_compile_options(${target} PRIVATE -fno-sanitize-recover=all)
    endif()
  endif()
endfunction()
