# Compiler flags of every C source of the project, and functions that declare its targets.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Threads REQUIRED)

# The run time of a sanitizer is linked into the executable, so some checks of libraries do not hold.
set(TACHO_SANITIZED OFF)
if(CMAKE_C_FLAGS MATCHES "-fsanitize=")
    set(TACHO_SANITIZED ON)
endif()

# The samplers without perf events read the registers of x86-64.
include(CheckSymbolExists)
check_symbol_exists(__x86_64__ "stddef.h" TACHO_X86_64)
option(TACHO_SAMPLERS "Build the samplers that need no perf events (x86-64 only)" ${TACHO_X86_64})

# What tacho preloads into commands.
set(TACHO_PRELOADED tacho_allocations)
if(TACHO_SAMPLERS)
    list(APPEND TACHO_PRELOADED tacho_sampler)
endif()

# Also for programs that are built like those of users.
add_library(tacho_warnings INTERFACE)
target_compile_options(tacho_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${TACHO_WERROR}>:-Werror>
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)

add_library(tacho_flags INTERFACE)
target_link_libraries(tacho_flags INTERFACE tacho_warnings)
target_compile_definitions(tacho_flags INTERFACE _GNU_SOURCE)
if(CMAKE_SIZEOF_VOID_P LESS 8) # recordings may be larger than 2 GiB
    target_compile_definitions(tacho_flags INTERFACE _FILE_OFFSET_BITS=64)
endif()
target_include_directories(tacho_flags INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
target_compile_options(tacho_flags INTERFACE
    -ffunction-sections -fdata-sections
    "$<$<COMPILE_LANGUAGE:C>:SHELL:-include \"${PROJECT_SOURCE_DIR}/src/base/banned.h\">")

# tacho_archive(NAME sources...): declares an internal static archive, which is never installed.
function(tacho_archive name)
    add_library(${name} STATIC ${ARGN})
    target_link_libraries(${name} PRIVATE tacho_flags)
endfunction()

# tacho_public(TARGET NAME): declares a library that other projects link as tacho::NAME.
function(tacho_public target name)
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tacho/*.h
        ${PROJECT_SOURCE_DIR}/include/tacho/*.hpp)
    target_sources(${target} PUBLIC FILE_SET HEADERS
        BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${headers})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME tacho EXPORT_NAME ${name} LINKER_LANGUAGE C)
    add_library(tacho::${name} ALIAS ${target})
endfunction()

# tacho_example(NAME sources...): declares the program NAME of an example, built as any user of the library
# would: with our warnings and none of our internals. Its target is tacho_example_NAME, because a project
# that adds tacho may have a target NAME, too.
function(tacho_example name)
    add_executable(tacho_example_${name} ${ARGN})
    target_link_libraries(tacho_example_${name} PRIVATE tacho_warnings)
    set_target_properties(tacho_example_${name} PROPERTIES OUTPUT_NAME ${name})
endfunction()

# tacho_repeated([TEST...]): labels tests, or all tests of the folder so far, that a sanitizer makes slow and
# whose memory other tests use too: they check texts, scripts, processes or numbers. `make test` runs them
# without a sanitizer only, `make test-all` also under ASan.
function(tacho_repeated)
    if(NOT TACHO_SANITIZED)
        return()
    endif()
    set(tests ${ARGN})
    if(NOT tests)
        get_property(tests DIRECTORY PROPERTY TESTS)
    endif()
    set_property(TEST ${tests} APPEND PROPERTY LABELS repeated)
endfunction()
