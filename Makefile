# Everything a developer runs. `make` alone lists it.

SWIFT ?= swift
SOURCES = Package.swift Sources Tests Clients/Swift/Package.swift Clients/Swift/Sources Clients/Swift/Tests Benchmarks/Package.swift $(addprefix Benchmarks/, Benchmarks Cases Echo HotLoop Peers)

.PHONY: help
help: ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.PHONY: packages
packages:
	@scripts/install-packages

# What `holdfast --version` names. Another commit compiles one file of C.
.PHONY: commit
commit:
	@scripts/write-commit

.PHONY: build
build: packages commit ## Release build, the Swift runtime linked in as in the image
	$(SWIFT) build -c release --product holdfast --static-swift-stdlib

.PHONY: dist
dist: build ## Packages of the release build: tarball, .deb, wheel, npm, with checksums and bill of materials, in .build-run/dist
	@scripts/install-packages patchelf binutils dpkg-dev
	@deploy/packages/dist.py --binary "$$($(SWIFT) build -c release --show-bin-path)/holdfast" --output .build-run/dist

.PHONY: run
run: build ## Sandbox server on http://127.0.0.1:8080, data in ./data (HOLDFAST_SERVER_PORT=... for another port)
	@exec "$$($(SWIFT) build -c release --show-bin-path)/holdfast" serve --config config/sandbox.json

.PHONY: demo
demo: build ## Sandbox server with the demo on http://127.0.0.1:8080/demo, and a shop with a backend on port 8081
	@scripts/demo "$$($(SWIFT) build -c release --show-bin-path)/holdfast"

.PHONY: test
test: packages ## All Swift tests
	$(SWIFT) test

.PHONY: gate
gate: ## Everything that must pass before a change is taken, from packages to pages in a browser: 25 minutes on two cores
	.ci/run

.PHONY: deep
deep: ## The long checks beside the gate: sanitizers, simulation, fuzzing, faults; `.ci/deep --list` names them
	.ci/deep

.PHONY: bench
bench: packages ## Benchmarks against peers and the limit, 24 minutes once built; writes Benchmarks/RESULTS.md
	Benchmarks/run

.PHONY: bench-quick
bench-quick: packages ## The same in under three minutes, once built; figures are rough
	Benchmarks/run --quick --output .build-run/quick.md

.PHONY: lint
lint: ## Format check
	$(SWIFT) format lint --strict --recursive --parallel --configuration .swift-format $(SOURCES)

.PHONY: format
format: ## Formats the sources in place
	$(SWIFT) format --in-place --recursive --parallel --configuration .swift-format $(SOURCES)
