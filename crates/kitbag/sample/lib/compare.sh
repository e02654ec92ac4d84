# Compares two versions of the form MAJOR.MINOR.PATCH and prints <, = or >.

# The n-th number of a version; 0 if it has fewer.
part() {
    value=$(echo "$1" | cut -d. -f"$2")
    echo "${value:-0}"
}

compare_versions() {
    for n in 1 2 3; do
        left=$(part "$1" "$n")
        right=$(part "$2" "$n")
        if [ "$left" = "$right" ]; then
            continue
        fi
        # The smaller one is the one that sorts first.
        first=$(printf '%s\n%s\n' "$left" "$right" | sort | head -n 1)
        if [ "$first" = "$left" ]; then
            echo "<"
        else
            echo ">"
        fi
        return
    done
    echo "="
}
