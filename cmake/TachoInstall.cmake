# Files that `cmake --install` and `cpack` install, in five components: runtime (the shared library), kit
# (libtachokit), dev (headers, the static library, tacho.pc, tachokit.pc, the CMake package), command
# and, by python/CMakeLists.txt, python.

include(CMakePackageConfigHelpers)

install(TARGETS libtacho libtacho_static EXPORT tachoTargets
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev
    ARCHIVE COMPONENT dev
    FILE_SET HEADERS COMPONENT dev)

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
install(FILES ${PROJECT_BINARY_DIR}/tacho.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

if(TACHO_COMMAND)
    include(TachoInstallCommand)
endif()

# find_package(tacho).
set(tacho_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tacho)
configure_package_config_file(cmake/tachoConfig.cmake.in ${PROJECT_BINARY_DIR}/tachoConfig.cmake
    INSTALL_DESTINATION ${tacho_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tachoConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(EXPORT tachoTargets NAMESPACE tacho:: DESTINATION ${tacho_package_dir} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/tachoConfig.cmake ${PROJECT_BINARY_DIR}/tachoConfigVersion.cmake
    DESTINATION ${tacho_package_dir} COMPONENT dev)

# When tacho is a part of another project, that project decides what is packaged.
if(PROJECT_IS_TOP_LEVEL AND TACHO_COMMAND)
    include(TachoPackages)
endif()
