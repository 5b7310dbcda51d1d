# The one door for people. `make help` lists what is behind it.
# Every target sets up all that it needs (apt and PyPI) and can be repeated.
.DEFAULT_GOAL := build
.PHONY: help build demo test unit asan tsan soak fuzz bench-peers fmt format-check lint models clean

STENO := build/release/steno
JOBS := $(shell nproc)

help: ## this list
	@grep -E '^[a-z -]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## the optimised program, build/release/steno
	@tools/install_deps.sh build
	@cmake --preset release $(if $(wildcard build/release/build.ninja),>/dev/null,-DSTENO_BUILD_TESTS=OFF)
	@cmake --build build/release -j $(JOBS) --target steno

demo: ## build, fetch the default model, transcribe a real recording
	@tools/install_deps.sh demo
	@$(MAKE) --no-print-directory build
	@python3 tools/fetch_model.py whisper-base
	@tools/demo.sh $(STENO)

models: ## fetch the models that the tests use
	@tools/install_deps.sh test
	@python3 tools/fetch_model.py whisper-base whisper-tiny.en

test: models ## build and run every test
	@cmake --preset release -DSTENO_BUILD_TESTS=ON >/dev/null
	@cmake --build build/release -j $(JOBS)
	@tools/run_tests.sh build/release

unit: ## the quick tests only
	@tools/install_deps.sh test
	@cmake --preset release -DSTENO_BUILD_TESTS=ON >/dev/null
	@cmake --build build/release -j $(JOBS)
	@ctest --test-dir build/release -L unit --output-on-failure -j $(JOBS)

asan tsan: ## the unit tests under the address (asan) or thread (tsan) sanitizer
	@tools/install_deps.sh test
	@cmake --preset $@ >/dev/null
	@cmake --build build/$@ -j $(JOBS)
	@ctest --test-dir build/$@ -L unit --output-on-failure -j $(JOBS)

soak: ## 10,000 short requests in one process: memory must not grow
	@tools/install_deps.sh test
	@cmake --preset release -DSTENO_BUILD_TESTS=ON >/dev/null
	@cmake --build build/release -j $(JOBS) --target soak_test
	@STENO_SOAK_REQUESTS=10000 build/release/tests/soak/soak_test

FUZZ_SECONDS := 600
fuzz: ## every fuzzer for FUZZ_SECONDS (600) each
	@tools/install_deps.sh fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz -j $(JOBS) --target fuzzers
	@tools/fuzz.sh build/fuzz $(FUZZ_SECONDS)

PEERS := build/peers
PEER_ARGS :=
bench-peers: build models ## steno and its peers from PyPI on the same recordings (hours); writes docs/benchmarks.md
	@tools/install_deps.sh speech
	@bench/peers/install.sh $(PEERS)/venv
	@[ -f $(PEERS)/speech/manifest.jsonl ] || $(PEERS)/venv/bin/python tools/speech/dev_set.py $(PEERS)/speech
	@$(PEERS)/venv/bin/python bench/peers/compare.py --steno $(STENO) --dev-set $(PEERS)/speech --out $(PEERS) \
		--model $$($(STENO) models path whisper-base) $(PEER_ARGS)
	@$(PEERS)/venv/bin/python bench/peers/report.py $(PEERS)/runs.json docs/benchmarks.md docs/benchmarks.svg

fmt: ## format the sources
	@tools/install_deps.sh lint
	@git ls-files '*.cc' '*.h' | xargs clang-format -i

format-check: ## what `make fmt` would change, as errors
	@tools/install_deps.sh lint
	@git ls-files '*.cc' '*.h' | xargs clang-format --dry-run -Werror

lint: format-check ## formatting and clang-tidy
	@tools/install_deps.sh build lint
	@tools/tidy.sh

clean: ## forget what was built
	@rm -rf build
