# Embeds files as constants of the program.

# tacho_embed(OUT.c HEADER NAME FILE [NAME FILE]...): makes OUT.c in the build folder. For each FILE it
# defines `const char NAME[]` with its bytes and `const size_t NAME_len`, which HEADER declares.
function(tacho_embed out header)
    set(text "/* Made by the build. */\n#include \"${header}\"\n")
    set(rest ${ARGN})
    while(rest)
        list(POP_FRONT rest name file)
        cmake_path(ABSOLUTE_PATH file)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(READ ${file} bytes HEX)
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
        string(APPEND text "const char ${name}[] = {${bytes}'\\0'};\n"
                           "const size_t ${name}_len = sizeof ${name} - 1;\n")
    endwhile()
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${out} CONTENT "${text}" @ONLY)
endfunction()
