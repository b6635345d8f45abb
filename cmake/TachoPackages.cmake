# The Debian packages: libtacho0, libtacho-dev and tacho, one a component.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tacho)
set(CPACK_PACKAGE_VENDOR "the tacho authors")
set(CPACK_PACKAGE_CONTACT "the tacho authors <authors@tacho.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_COMPONENTS_ALL runtime dev command)
# Copyright, change log and compressed manual pages, as Debian lays them out.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian-docs.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libtacho0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "records how a program runs, from inside it
 A program that links libtacho can leave evidence of its own runs.
 .
 This package holds the shared library. It needs the C library alone.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtacho-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libtacho0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_DESCRIPTION "records how a program runs - development files
 A program that links libtacho can leave evidence of its own runs.
 .
 This package holds the headers, the static library, and what pkg-config and
 CMake need to find them.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tacho)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "makes benchmark runs observable, reproducible and gateable
 A tachograph is the sealed recorder in a truck; tacho does that for programs.
 .
 This package holds the command tacho, its manual pages, and completion for
 bash, zsh and fish.")

include(CPack)
