# Files that `cmake --install` and `cpack` install, in five components: runtime (the shared library), kit
# (libtachokit), dev (headers, the static library, tacho.pc, tachokit.pc, the CMake package), command
# and, by python/CMakeLists.txt, python.

include(CMakePackageConfigHelpers)

install(TARGETS libtacho libtacho_static EXPORT tachoTargets
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev
    ARCHIVE COMPONENT dev
    FILE_SET HEADERS COMPONENT dev)

install(TARGETS libtachokit EXPORT tachoTargets
    LIBRARY COMPONENT kit NAMELINK_COMPONENT dev)

# tacho.pc, tachokit.pc. If libdir is a full path, it cannot move with the prefix, so the prefix is
# fixed, too.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
    set(pc_libdir "${CMAKE_INSTALL_FULL_LIBDIR}")
    set(pc_includedir "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
    file(RELATIVE_PATH pc_up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
    string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
    set(pc_prefix "\${pcfiledir}/${pc_up}")
    set(pc_libdir "\${exec_prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/tacho.pc.in tacho.pc @ONLY)
configure_file(cmake/tachokit.pc.in tachokit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tacho.pc ${PROJECT_BINARY_DIR}/tachokit.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# find_package(tacho).
set(tacho_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tacho)
configure_package_config_file(cmake/tachoConfig.cmake.in ${PROJECT_BINARY_DIR}/tachoConfig.cmake
    INSTALL_DESTINATION ${tacho_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tachoConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(EXPORT tachoTargets NAMESPACE tacho:: DESTINATION ${tacho_package_dir} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/tachoConfig.cmake ${PROJECT_BINARY_DIR}/tachoConfigVersion.cmake
    DESTINATION ${tacho_package_dir} COMPONENT dev)

# The command, with its manual pages and completion scripts. A cross build cannot run the command, so it
# does not make the pages.
install(TARGETS tacho COMPONENT command)
install(TARGETS ${TACHO_PRELOADED} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tacho COMPONENT command)
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT command FILES_MATCHING PATTERN "*.1")
set(TACHO_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    CACHE STRING "folder for zsh's completion function") # Debian's zsh reads another one for packages
install(FILES cli/core/completion/tacho.bash RENAME tacho
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
install(FILES cli/core/completion/_tacho DESTINATION ${TACHO_ZSH_DIR} COMPONENT command)
install(FILES cli/core/completion/tacho.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)

# Documents in the folders of the repository, so that their links work: README.md, docs with schemas and
# images, and examples without their tests.
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT command
    USE_SOURCE_PERMISSIONS # scripts stay executable
    PATTERN "CMakeLists.txt" EXCLUDE PATTERN "test*.sh" EXCLUDE)

# When tacho is a part of another project, that project decides what is packaged.
if(PROJECT_IS_TOP_LEVEL)
    include(TachoPackages)
endif()
