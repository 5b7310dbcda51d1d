# Every library comes from the distribution. One apt line installs them all: tools/install_deps.sh.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET libavformat libavcodec libavutil libswresample)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)

# oneDNN: for tests and benchmarks alone. Its CMake package asks for OpenCL headers, the library does not.
if(STENO_BUILD_TESTS)
  find_library(DNNL_LIBRARY dnnl REQUIRED)
endif()
