#!/bin/sh
# Runs every case and says which ones fail.
cd "$(dirname "$0")/.." || exit 2
passed=0
failed=0

expect() {
    got=$(bin/semver "$1" "$3")
    if [ "$got" = "$1 $2 $3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: expected $1 $2 $3, got: $got"
    fi
}

expect 1.0.0 "<" 2.0.0
expect 1.2.3 "=" 1.2.3
expect 2.1.0 ">" 2.0.9
expect 1.2.0 "<" 1.10.0
expect 0.9.9 "<" 0.10.0

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
