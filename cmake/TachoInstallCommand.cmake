# Files of the command and of libtachokit, which belongs to it.

install(TARGETS libtachokit EXPORT tachoTargets
    LIBRARY COMPONENT kit NAMELINK_COMPONENT dev)
configure_file(cmake/tachokit.pc.in tachokit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tachokit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

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
