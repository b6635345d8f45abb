# Short commands for common tasks. Each one calls the presets of CMakePresets.json. Needs GNU make.

PREFIX       ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: help demo demo-sweep docs-images test test-all test-cross bench bench-all fuzz package install clean

help:
	@echo "make demo        build tacho and show what it does, on examples/attention"
	@echo "make demo-sweep  run the attention benchmark over its grid, in about a minute"
	@echo "make docs-images make the images of docs/ from today's pages, with headless Chromium"
	@echo "make test        build and test with gcc, then again under ASan and UBSan"
	@echo "make test-all    also test with clang and TSan, fuzz, run long tests, test packages"
	@echo "make test-cross  test libtacho with musl and, in an emulator, on i386, aarch64, s390x, riscv64"
	@echo "make bench       compare the speed of tacho with other tools and libraries (bench/)"
	@echo "make bench-all   the same with more rounds, and what takes an hour and a half"
	@echo "make fuzz        fuzz each parser for FUZZ_SECONDS ($(FUZZ_SECONDS))"
	@echo "make package     make Debian packages in build/package/packages"
	@echo "make install     install below PREFIX ($(PREFIX)); honours DESTDIR"
	@echo "make clean       remove build/"

# $(call build,PRESET) configures and builds; $(call check,PRESET) also tests.
define build
cmake --preset $(1)
cmake --build --preset $(1)
endef

define check
$(call build,$(1))
ctest --preset $(1)
endef

demo:
	scripts/install-deps build
	$(call build,release)
	scripts/demo

demo-sweep:
	scripts/install-deps build
	scripts/run_mincut_bench.sh

docs-images:
	scripts/install-deps build
	$(call build,release)
	scripts/docs-images || [ $$? -eq 77 ] # 77: there is no Chromium

test:
	scripts/install-deps test
	$(call check,dev)
	$(call check,asan)

test-all: test
	scripts/install-deps all
	ctest --preset asan-repeated
	$(call check,clang)
	$(call check,tsan)
	$(call build,fuzz)
	scripts/fuzz 20
	ctest --preset dev-all

test-cross:
	scripts/install-deps cross
	scripts/test-cross

# $(call measure,TARGET) builds the benchmarks and runs those of the target.
define measure
scripts/install-deps bench
$(call build,bench)
cmake --build --preset bench --target $(1)
endef

bench:
	$(call measure,bench)

bench-all:
	$(call measure,bench_all)

fuzz:
	scripts/install-deps fuzz
	$(call build,fuzz)
	scripts/fuzz $(FUZZ_SECONDS)

package:
	scripts/install-deps package
	$(call build,package)
	cd build/package && cpack -G DEB

install:
	scripts/install-deps build
	$(call build,release)
	cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build
