# Each recipe wraps a plain command; nothing needs `just`.

# The main job: a ring all-reduce over 64 GPUs.
run:
    cargo run --release -- run scenarios/quickstart.yaml

# All tests.
test:
    cargo test --workspace

# Formatting and lints, as CI checks them.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Every shipped scenario, judged by its expectations.
check:
    cargo run --release -- check $(find scenarios -name '*.yaml' -not -path 'scenarios/bench/*' | sort)

# Packet-hops per CPU-second of the benchmark scenarios, beside other simulators.
bench:
    bash scripts/bench.sh

# All that CI does.
ci:
    bash .ci/run
