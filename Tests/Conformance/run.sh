#!/bin/sh
# Plays both case files against a server that is started for it: whole, and cut into pieces of every size.
#
#     Tests/Conformance/run.sh [BINARY] [further arguments of http_conformance.py]
#
# Without BINARY, the executable named by the variable BINARY or the last build is taken.
# The last line is "N passed, M failed"; exit status 0 when all passed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binary=${BINARY:-}
case "${1:-}" in
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    "" | -*) ;;
    *) binary=$1; shift ;;
esac
if [ -z "$binary" ]; then
    # The newest of the two, if there is one.
    binary=$(ls -t "$here"/../../.build/release/holdfast "$here"/../../.build/debug/holdfast 2>/dev/null | head -n 1)
fi
if [ ! -x "$binary" ]; then
    echo "run.sh: no executable ${binary:-found}; build first or name one" >&2
    exit 2
fi
exec python3 "$here/with_server.py" "$binary" -- sh -c '
    here=$1
    shift
    exec python3 "$here/http_conformance.py" --port "$HOLDFAST_TEST_PORT" --token "$HOLDFAST_TEST_TOKEN" \
        --split 0,1,2,3,7,64 "$@" "$here/http-cases.jsonl" "$here/more-cases.jsonl"
' sh "$here" "$@"
