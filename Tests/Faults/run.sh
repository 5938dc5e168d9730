#!/usr/bin/env bash
# Brings faults about under the built server: BINARY=/path/to/holdfast Tests/Faults/run.sh
set -euo pipefail

repository=$(cd "$(dirname "$0")/../.." && pwd)
binary=${BINARY:-$(swift build --package-path "$repository" -c release --show-bin-path)/holdfast}
"$repository/scripts/python" "$repository/Tests/Faults/faults.py" --binary "$binary" "$@"
"$repository/scripts/python" "$repository/Tests/Faults/outbox.py" --binary "$binary"
# Without --every each of some 120 calls: three minutes.
"$repository/scripts/python" "$repository/Tests/Faults/each_call.py" --binary "$binary" --every 7
