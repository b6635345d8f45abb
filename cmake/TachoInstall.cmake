# What `cmake --install` and `cpack` lay down.
