# cpack runs this after it has collected the files of the packages and before it packs them. Each package
# gets share/doc/NAME with copyright and change logs; manual pages are compressed.

# gzip stores no name and no time, so that the same input gives the same bytes.
function(compress file)
    execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # uses SOURCE_DATE_EPOCH if it is set

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    set(top ${CPACK_TEMPORARY_DIRECTORY}/${component})
    if(NOT IS_DIRECTORY ${top})
        message(FATAL_ERROR "cpack has laid out nothing for the component '${component}' in ${top}")
    endif()
    set(share ${top}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
    string(TOUPPER ${component} upper)
    set(doc ${share}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})

    configure_file(${CPACK_RESOURCE_FILE_LICENSE} ${doc}/copyright COPYONLY)
    configure_file(${CPACK_TACHO_CHANGELOG} ${doc}/changelog COPYONLY)
    compress(${doc}/changelog)
    file(WRITE ${doc}/changelog.Debian
        "tacho (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
        "  * Made by cpack from this version; changelog.gz says what is new.\n\n"
        " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    compress(${doc}/changelog.Debian)

    file(GLOB pages ${share}/man/man1/*.1)
    foreach(page IN LISTS pages)
        compress(${page})
    endforeach()
endforeach()
