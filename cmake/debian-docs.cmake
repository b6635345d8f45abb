# Run by cpack when a package's files are laid out and before they are packed.
# Each package gets usr/share/doc/NAME with copyright and change log; manual pages are compressed.

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
    if(NOT IS_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}/${component})
        message(FATAL_ERROR "cpack laid nothing out for '${component}' in ${CPACK_TEMPORARY_DIRECTORY}")
    endif()

    configure_file(${CPACK_RESOURCE_FILE_LICENSE} ${share}/doc/${package}/copyright COPYONLY)
    file(GLOB pages ${share}/man/man1/*.1)
    foreach(page IN LISTS pages)
        execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
endforeach()
