#!/usr/bin/env bash
# Packet-hops per CPU-second of the scenarios in scenarios/bench, beside what other simulators need for the same case.
#
#   scripts/bench.sh                 all of them, best of three runs each
#   scripts/bench.sh incast-32       one of them
#   scripts/bench.sh --instructions  instructions per packet-hop under valgrind: what no other load on the machine changes
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet --package cli
program="${CARGO_TARGET_DIR:-target}/release/fabricsim"
out="$(mktemp -d)"
trap 'rm -rf "$out"' EXIT

# field NAME: a number of the last run.
field() { sed -n "s/^ *\"$1\": *\([0-9.]*\),*$/\1/p" "$out/run/run.json"; }

run() { "$@" run --quiet --threads 1 --out "$out/run" "$scenario" >/dev/null; }

instructions() {
    local size hops=() count=()
    for size in 512KiB 1MiB; do
        scenario="$out/$size.yaml"
        sed "s/size: 4MiB/size: $size/" scenarios/bench/permutation-128.yaml >"$scenario"
        run valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$out/log" "$program"
        hops+=("$(field packet_hops)")
        count+=("$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$out/log")")
    done
    # The difference of two sizes leaves out what is done once.
    echo "$(((count[1] - count[0]) / (hops[1] - hops[0]))) instructions a packet-hop (permutation-128)"
}

# Million packet-hops per CPU-second of htsim, the fastest packet-level simulator known for these cases, and of the ns-3
# line of RDMA models, measured on a comparable two-core machine.
declare -A htsim=([permutation-128]=1.39 [incast-32]=2.58 [permutation-1024]=0.37 [all-to-all-128]=0.23)
declare -A ns3=([permutation-128]=0.33-0.55)

measure() {
    local name="$1" best=0 rate
    scenario="scenarios/bench/$name.yaml"
    for _ in 1 2 3; do
        run "$program"
        rate="$(awk -v hops="$(field packet_hops)" -v cpu="$(field cpu_s)" 'BEGIN { printf "%.2f", hops / cpu / 1e6 }')"
        best="$(awk -v a="$best" -v b="$rate" 'BEGIN { print (a > b ? a : b) }')"
    done
    awk -v name="$name" -v hops="$(field packet_hops)" -v events="$(field events_per_hop)" -v best="$best" \
        -v memory="$(field peak_memory_bytes)" -v htsim="${htsim[$name]:--}" -v ns3="${ns3[$name]:--}" 'BEGIN {
        printf "%-18s %11d %7.2f %7.2f %9.2f %7.0f MB %8s %10s\n", name, hops, events, hops / best / 1e6, best, memory / 1e6,
            htsim, ns3 }'
}

if [ "${1:-}" = --instructions ]; then
    instructions
    exit
fi
printf '%-18s %11s %7s %7s %9s %10s %8s %10s\n' scenario packet-hops ev/hop cpu-s M-hops/s memory htsim ns-3
if [ $# -eq 0 ]; then
    set -- $(cd scenarios/bench && ls ./*.yaml | sed 's|^\./||; s|\.yaml$||')
fi
for name in "$@"; do measure "$name"; done
