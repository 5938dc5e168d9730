#!/usr/bin/env bash
# Brings faults about under the built server: BINARY=/path/to/holdfast Tests/Faults/run.sh [--gate | --minutes N]
#
# Without arguments as .ci/deep runs it, each in about a minute or less. With --gate, two minutes in all: the disk and its
# calls, a loss of power, kills around a send. With --minutes N the runs that go by time take that long each, and those that
# go by rounds take more of them; the races and the kills of Tests/EndToEnd then run too.
set -euo pipefail

repository=$(cd "$(dirname "$0")/../.." && pwd)
binary=${BINARY:-$(swift build --package-path "$repository" -c release --show-bin-path)/holdfast}
minutes= gate=
if [ $# = 2 ] && [ "$1" = --minutes ]; then
    minutes=$2
elif [ "$*" = --gate ]; then
    gate=yes
elif [ $# != 0 ]; then
    echo "run.sh: the arguments are --gate, or --minutes N" >&2
    exit 2
fi

play() {
    local script=$1
    shift
    echo "== $script"
    "$repository/scripts/python" "$repository/Tests/$script" --binary "$binary" "$@"
}

play Faults/faults.py
if [ -n "$gate" ]; then
    play Faults/power_loss.py --minutes 0.3
    play Faults/outbox.py --rounds 15
    play Faults/webhooks.py --rounds 8
    play Faults/each_call.py --every 60 --refusals 5
    exit
fi
play Faults/rot.py
play Faults/backup.py ${minutes:+--minutes "$minutes"}
for script in power_loss slow_peers waiting churn no_descriptors stopped stalled_disk soak; do
    play "Faults/$script.py" ${minutes:+--minutes "$minutes"}
done
if [ -z "$minutes" ]; then
    play Faults/outbox.py
    play Faults/webhooks.py
    # Without --every each of some 200 calls: ten minutes.
    play Faults/each_call.py --every 11 --refusals 40
else
    rounds=$(printf '%.0f\n' "$minutes")
    play Faults/outbox.py --rounds $((40 + 40 * rounds))
    play Faults/webhooks.py --rounds $((20 + 20 * rounds))
    play Faults/each_call.py --refusals 500
    play EndToEnd/races.py --rounds $((10 + 10 * rounds)) --seconds $((240 + 60 * rounds))
    play EndToEnd/crash.py --rounds $((50 * rounds + 50)) --seconds $((570 + 60 * rounds))
fi
