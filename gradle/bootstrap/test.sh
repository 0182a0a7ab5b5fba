#!/bin/sh
# Proves what README.md and bootstrap.sh promise, with real assemblies in temporary Gradle user homes. Takes one to
# two minutes, uses Maven's ordinary local repository, and prints "N passed, N failed". Needs what the bootstrap needs.
set -u

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/bootstrap test.XXXXXX") # with a space, on purpose
passed=0
failed=0
unset GRADLE_USER_HOME GRADLE_BOOTSTRAP_MVN_ARGS GRADLE_BOOTSTRAP_LOG GRADLE_OPTS JAVA_OPTS
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

assembling='is assembled from Maven artifacts'
failure='gradlew: cannot assemble Gradle'

# A copy of what gradlew needs, to be changed by a test, and an empty user home.
project() {
    project=$tmp/$1
    user_home=$tmp/$1.home
    mkdir -p "$project/gradle"
    cp -R "$root/gradlew" "$project/"
    cp -R "$root/gradle/wrapper" "$root/gradle/bootstrap" "$project/gradle/"
    echo "rootProject.name = 'test'" >"$project/settings.gradle"
}

# A directory with links to all commands on the PATH but those named.
path_without() {
    commands=$tmp/path.$(printf %s "$*" | tr ' ' -)
    mkdir "$commands"
    echo "$PATH" | tr : '\n' | while read -r directory; do
        ln -s "$directory"/* "$commands/" 2>/dev/null # the first one on the PATH stays
    done
    for name in "$@"; do rm -f "$commands/$name"; done
}

# An executable of that name in front of everything else on the PATH; its body is the standard input.
stub() {
    mkdir -p "$tmp/stub.$1"
    { echo '#!/bin/sh'; cat; } >"$tmp/stub.$1/$1"
    chmod +x "$tmp/stub.$1/$1"
}

gradlew() {
    gradlew_with PATH="$PATH" "$@"
}

# One setting of the environment, then further arguments for gradlew
gradlew_with() {
    setting=$1
    shift
    (
        cd "$project" &&
            env GRADLE_USER_HOME="$user_home" "$setting" ./gradlew --version "$@" >"$user_home.out" 2>"$user_home.err"
    )
    status=$?
}

# The sum of both outcomes is in the usual files.
gradlew_twice_at_once() {
    pids=
    for number in 1 2; do
        (
            cd "$project" &&
                env GRADLE_USER_HOME="$user_home" "$1" ./gradlew --version \
                    >"$user_home.out.$number" 2>"$user_home.err.$number"
        ) &
        pids="$pids $!"
    done
    status=0
    for pid in $pids; do wait "$pid" || status=1; done
    cat "$user_home.out.1" "$user_home.out.2" >"$user_home.out"
    cat "$user_home.err.1" "$user_home.err.2" >"$user_home.err"
}

check() {
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "ok    $what"
    else
        failed=$((failed + 1))
        echo "FAIL  $what"
        sed 's/^/      | /' "$user_home.err"
    fi
}

succeeded() { [ "$status" -eq 0 ] && grep -q '^Gradle 8' "$user_home.out"; }
both_succeeded() { [ "$status $(grep -c '^Gradle 8' "$user_home.out")" = '0 2' ]; }
assembled() { grep -q "$assembling" "$user_home.err"; }
not_assembled() { ! assembled; }
seeded() { [ -s "$(echo "$user_home"/caches/*/generated-gradle-jars/gradle-api-*.jar)" ]; }
no_leftovers() { [ -z "$(find "$user_home" -name '.bootstrap*' 2>/dev/null)" ]; }
nothing_left() { [ -z "$(find "$user_home" -mindepth 1 2>/dev/null)" ]; }
refused() { [ "$status" -eq 1 ] && tail -n 1 "$user_home.err" | grep -q "^$failure.*$1"; }

# ---- the usual way, without the official distribution, however open the network of this machine is

stub curl <<'EOF'
exit 6
EOF
online_path=$PATH
PATH=$tmp/stub.curl:$PATH

project fresh
gradlew
check 'a fresh user home: Gradle is assembled and runs' succeeded
check 'it says so' assembled
check 'it shows progress' grep -q '^\[4/4\]' "$user_home.err"
check 'gradleApi() has its jar already' seeded
check 'no working directory remains' no_leftovers

gradlew
check 'a second run starts Gradle' succeeded
check 'and assembles nothing' not_assembled

fresh_home=$user_home
project option
gradlew --gradle-user-home "$fresh_home"
check 'a user home given as an option is the one that counts' succeeded
check 'and it is found complete' not_assembled

rm "$fresh_home"/wrapper/dists/*/*/*.ok
user_home=$fresh_home
gradlew
check 'killed just before the end: the next run completes it' succeeded
check 'without assembling again' [ "$(grep -c '^\[1/4\]' "$user_home.err")" -eq 0 ]

rm "$fresh_home"/wrapper/dists/*/*/*.ok "$fresh_home"/wrapper/dists/*/*/*/.assembled
gradlew
check 'a half installation by the wrapper is replaced' succeeded

# ---- failures

project checksum
pins=$project/gradle/bootstrap/artifacts.txt
sed 's/^\(org.apache.ant:ant:[^ ]*\) ...../\1 00000/' "$pins" >"$pins.new" && mv "$pins.new" "$pins"
gradlew
check 'a wrong checksum is refused in one sentence' refused 'org.apache.ant:ant:.* has the wrong checksum'
check 'and leaves nothing' nothing_left

project maven
path_without mvn
gradlew_with PATH="$commands"
check 'no Maven: one sentence' refused 'there is no mvn on the PATH'
check 'and leaves nothing' nothing_left

project network
empty=$(mktemp -d)
gradlew_with GRADLE_BOOTSTRAP_MVN_ARGS="-o -Dmaven.repo.local=$empty"
rm -rf "$empty"
check 'no network: one sentence' refused 'Maven could not fetch the artifacts'
check 'and leaves nothing' nothing_left

# what a Java that is not good enough would say about itself
java_that_says() {
    mkdir -p "$tmp/$1/bin"
    printf '#!/bin/sh\necho "    java.home = %s" >&2\necho "    java.specification.version = %s" >&2\n' \
        "$tmp/$1" "$2" >"$tmp/$1/bin/java"
    chmod +x "$tmp/$1/bin/java"
}

project jre
java_that_says jre-17 17
gradlew_with JAVA_HOME="$tmp/jre-17"
check 'no JDK: one sentence' refused 'is only a JRE'
check 'and leaves nothing' nothing_left

project old
java_that_says jdk-8 1.8
gradlew_with JAVA_HOME="$tmp/jdk-8"
check 'an old JDK: one sentence' refused 'is version 1.8'
check 'and leaves nothing' nothing_left

# ---- interrupted, then two at once in what is left

project interrupted
stub mvn <<'EOF'
exec sleep 60
EOF
if command -v timeout >/dev/null 2>&1; then
    (cd "$project" && PATH=$tmp/stub.mvn:$PATH GRADLE_USER_HOME=$user_home timeout -s INT 2 ./gradlew --version) \
        >"$user_home.out" 2>"$user_home.err"
    check 'an interrupt leaves nothing' nothing_left
    check 'and is not reported as a failure' [ "$(grep -c "$failure" "$user_home.err")" -eq 0 ]
fi
mkdir -p "$user_home/wrapper/dists/gradle-8.8-bin/.bootstrap.killed"

gradlew_twice_at_once PATH="$PATH"
check 'two at once both run' both_succeeded
if command -v flock >/dev/null 2>&1; then
    check 'one of them assembled' [ "$(grep -c '^\[3/4\]' "$user_home.err")" -eq 1 ]
    check 'what a killed one had left is gone' no_leftovers
fi

project lockless
path_without flock
gradlew_twice_at_once PATH="$commands"
check 'two at once without flock both run' both_succeeded
check 'and clean up' no_leftovers

# ---- the official distribution can be had: the wrapper is to fetch it, here in vain from a port nobody listens at

PATH=$online_path
stub curl <<'EOF'
exit 0
EOF
project official
sed 's,^distributionUrl=.*/,distributionUrl=http\\://127.0.0.1\\:9/,' "$root/gradle/wrapper/gradle-wrapper.properties" \
    >"$project/gradle/wrapper/gradle-wrapper.properties"
gradlew_with PATH="$tmp/stub.curl:$PATH"
check 'the official distribution is reachable: nothing is assembled' not_assembled
check 'the wrapper was left to download it' grep -q 'Downloading http://127.0.0.1:9/' "$user_home.out"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
