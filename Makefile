# emu: run ARM64 Linux programs on x86-64 Linux.   make help  lists the targets.
GO       ?= go
BIN      := bin/emu
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# emu's own text lies far above the addresses that programs are linked to, so
# that 0x400000 and its neighbourhood are free for the guest.
TEXT     := 0x7e0000001000
# The entry point saves what Go's runtime would change (see internal/hostsig). Text and data are aligned to huge pages.
LDFLAGS  := -T $(TEXT) -R 0x200000 -E emu/internal/hostsig.Start -X main.version=$(VERSION)
GUESTS   := bin/guests
T        ?= 60s
SHARDS   ?= 2
SEEDS    ?= $(shell date +%-j001-%-j200)
# What agreed is noted in bin/nightly, and not run again until a source changes.
VECTORS  := $(GO) test -timeout 3h -count=1 -run 'Test(Keyed|SVE)?Instructions(OnLesserHosts)?$$' -v ./tests -vectors 2000 -progress ../bin/nightly

export CGO_ENABLED = 0
export GOFLAGS += -trimpath

.PHONY: help build run test debian npm gostd torture csmith tiers nightly random check fuzz soak bench icount mutants gen install clean setup guests
help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

# What the linker writes the page cache has in single pages, and maps them one by one at each start. Written in pieces of
# 2 MiB it may be huge pages, as text and data are aligned to them.
build: ## build bin/emu, static
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN).linked ./cmd/emu
	rm -f $(BIN)
	dd if=$(BIN).linked of=$(BIN) bs=2M status=none
	chmod +x $(BIN)

$(GUESTS)/hello: tests/guest/hello/hello.go
	GOARCH=arm64 GOOS=linux $(GO) build -o $@ ./tests/guest/hello

run: build $(GUESTS)/hello ## build emu and run a bundled ARM64 program
	$(BIN) $(GUESTS)/hello

setup: ## install what the tests need (Debian: cross compiler, qemu-user)
	tests/setup.sh

test: setup build ## run all tests, and list those that are skipped and why (how long each took: bin/tests.json)
	(for r in "_debian tests/debian/packages.txt" "_trixie tests/debian/packages-trixie.txt trixie"; do tests/debian/root.sh $(CURDIR)/bin/$$r; done) >/dev/null 2>&1 & # TestDebian and others wait for them, and say what is missing
	$(GO) tool gotestsum --format standard-quiet --jsonfile bin/tests.json -- -timeout 60m ./...

nightly: build ## 2,000 vectors of every A64 encoding, in all engines and qemu-aarch64, by SHARDS processes (goes on where an earlier run of the same source stopped)
	-seq $(SHARDS) | xargs -P $(SHARDS) -I {} $(VECTORS) -shard {}/$(SHARDS)
	$(VECTORS) -record testdata/verified.txt
	$(GO) test -run Fresh ./tests -update

random: ## 5,000 random functions of the intermediate representation of each kind: interpreter and host code agree
	$(GO) test -timeout 3h -count=1 -run 'TestLoops|TestRandomUnits' ./jit/amd64 -seeds 5000

debian: build ## run programs of an arm64 Debian, all of tests/debian/commands.txt
	EMU_DEBIAN=all $(GO) test -count=1 -timeout 60m -run 'Debian$$' ./tests

npm: build ## run arm64 programs that npm distributes, those of tests/npm/commands.txt (fetches 600 MB)
	EMU_NPM=all $(GO) test -count=1 -timeout 60m -run 'TestNPM$$' ./tests

gostd: build ## Go's own tests of all packages in tests/testdata/gostd.txt, as arm64 programs
	EMU_GOSTD=all $(GO) test -count=1 -timeout 3h -run 'TestGoStandardLibrary$$' ./tests

torture: build ## all of GCC's execution tests at -O0 and at -O2, and of its tests of the Advanced SIMD intrinsics
	EMU_TORTURE=all $(GO) test -count=1 -timeout 60m -run 'Test(GCCTorture|AdvSIMDIntrinsics)$$' ./tests

csmith: build ## random C programs of SEEDS=FIRST-LAST (default: 200 others each day) by Csmith, compiled by GCC and clang
	EMU_CSMITH=$(SEEDS) $(GO) test -count=1 -timeout 3h -run 'TestCsmith$$' ./tests

tiers: build ## the kernels and the programs about processes, system calls and floating point in every tier, not by turns
	EMU_TIERS=all $(GO) test -count=1 -timeout 60m -run 'Test(Processes|Syscalls|KernelInterfaces|FloatEnvironment|Kernels)$$' ./tests

check: ## formatting, vet, staticcheck, generated files, import layers
	@test -z "$$($(GO) list -f '{{.Dir}}' ./... | xargs gofmt -l | tee /dev/stderr)"
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) test -run 'Fresh|Layers' -count=1 ./ir ./syscalls ./tests ./decoder/gen
	GOARCH=arm64 $(GO) build ./...

gen: ## write the generated files anew
	$(GO) generate ./...
	$(GO) test -run Fresh ./ir ./syscalls ./tests ./decoder/gen -update

fuzz: ## fuzz every target for T (default 60s)
	tests/fuzz.sh $(T)

mutants: setup ## break the memory order of emu in a dozen ways and see whether the litmus tests notice
	EMU_MUTANTS=1 $(GO) test ./tests -run TestLitmusSeesMutants -count=1 -timeout 30m -v

soak: setup build ## run the kernels at random under small caches for T (say T=30m)
	EMU_SOAK=$(T) $(GO) test ./tests -run TestSoak -count=1 -timeout 24h -v

bench: build ## Go benchmarks of the translator and the engines
	$(GO) test -run XXX -bench . -benchmem ./decoder ./translate ./ir/... ./jit/...

icount: ## compare the host code of operations and loops with its snapshots
	$(GO) test -run 'VectorInstructionCounts|IntegerCode|LoopCode' -count=1 -v ./jit/amd64
	$(GO) test -run InstructionCounts -count=1 ./tests

install: build ## install emu into /usr/local/bin
	install -D -m 755 $(BIN) $(DESTDIR)/usr/local/bin/emu

clean:
	rm -rf bin
