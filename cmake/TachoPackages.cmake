# The Debian packages: libtacho0, libtachokit0, libtacho-dev, tacho and python3-tacho, one per component.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tacho)
set(CPACK_PACKAGE_VENDOR "the tacho authors")
# The maintainer of the packages, from the variables that Debian's own tools read.
if(DEFINED ENV{DEBEMAIL})
    set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
    set(CPACK_PACKAGE_CONTACT "the tacho authors <authors@tacho.invalid>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_COMPONENTS_ALL runtime kit dev command python)
# Copyright, change logs and compressed manual pages, in the places that Debian requires.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/docs.cmake)
set(CPACK_TACHO_CHANGELOG ${PROJECT_SOURCE_DIR}/CHANGELOG.md)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The dependency of programs that were linked with libtacho or libtachokit.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/shlibs
    CONTENT "libtacho @TACHO_SOVERSION@ libtacho@TACHO_SOVERSION@ (>= @PROJECT_VERSION@)\n" @ONLY)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/kit/shlibs
    CONTENT "libtachokit @TACHO_SOVERSION@ libtachokit@TACHO_SOVERSION@ (>= @PROJECT_VERSION@)\n" @ONLY)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libtacho${TACHO_SOVERSION})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/debian/shlibs
    ${PROJECT_SOURCE_DIR}/cmake/debian/postinst
    ${PROJECT_SOURCE_DIR}/cmake/debian/postrm
    ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "evidence of benchmark runs - shared library
tacho makes benchmark runs of native programs observable, reproducible and
gateable.
.
This package holds libtacho, the part that a program links. It needs the C
library alone.")

set(CPACK_DEBIAN_KIT_PACKAGE_NAME libtachokit${TACHO_SOVERSION})
set(CPACK_DEBIAN_KIT_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_KIT_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/debian/kit/shlibs
    ${PROJECT_SOURCE_DIR}/cmake/debian/postinst
    ${PROJECT_SOURCE_DIR}/cmake/debian/postrm
    ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_KIT_PACKAGE_RECOMMENDS libstdc++6) # demangles C++ names; loaded when needed
set(CPACK_DEBIAN_KIT_DESCRIPTION "evidence of benchmark runs - flamegraphs and verdicts
tacho makes benchmark runs of native programs observable, reproducible and
gateable.
.
This package holds libtachokit, which profiles commands and processes, draws
flamegraphs of them, and judges whether measured values became worse.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtacho-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libtacho${TACHO_SOVERSION} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}), \
libtachokit${TACHO_SOVERSION} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_DEV_DESCRIPTION "evidence of benchmark runs - development files
tacho makes benchmark runs of native programs observable, reproducible and
gateable.
.
This package holds the headers of libtacho and libtachokit, the static library,
and what pkg-config and CMake need to find them.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tacho)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "libsqlite3-0, libstdc++6") # loaded when needed
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS valgrind) # counts instructions without hardware counters
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "evidence of benchmark runs - command
tacho makes benchmark runs of native programs observable, reproducible and
gateable.
.
This package holds the command, its manual pages, and completion for bash, zsh
and fish.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-tacho)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.8), libtacho${TACHO_SOVERSION} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/cmake/debian/python/postinst
    ${PROJECT_SOURCE_DIR}/cmake/debian/python/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "evidence of benchmark runs - Python 3 package
tacho makes benchmark runs of native programs observable, reproducible and
gateable.
.
This package holds the module tacho, by which Python programs record spans,
profile events, latencies and memory with libtacho.")

include(CPack)
