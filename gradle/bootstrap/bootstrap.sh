#!/bin/sh
# Called by gradlew before it starts the wrapper:
#
#   bootstrap.sh JAVA ARGUMENT...     JAVA is the command gradlew found, the arguments are all that it will get
#
# If the wrapper's distribution is neither installed nor to be downloaded, assembles it from Maven artifacts and puts it
# where the wrapper looks. Exits with 0 when the wrapper may start, otherwise says why not in one sentence.
#
# GRADLE_BOOTSTRAP_MVN_ARGS   further arguments for mvn, separated by blanks
# GRADLE_BOOTSTRAP_LOG        a file to append the output of Maven and Java to
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
wrapper_properties=$here/../wrapper/gradle-wrapper.properties
java=$1
shift

quiet=false
java_has_proxy=false
work=

say() {
    "$quiet" || printf '%s\n' "$*" >&2
}

die() {
    printf '%s\n' "gradlew: cannot assemble Gradle $version: $*" >&2
    exit 1
}

# The user home as the wrapper determines it: the option, the system property, the environment, ~/.gradle. The last is
# Java's idea of a home directory, which is the one in the user database and not $HOME.
read_arguments() {
    option_home='' property_home='' java_user_home=''
    while [ $# -gt 0 ]; do
        case $1 in
            -g | --gradle-user-home) [ $# -eq 1 ] || { option_home=$2; shift; } ;;
            --gradle-user-home=*) option_home=${1#*=} ;;
            -Dgradle.user.home=*) property_home=${1#*=} ;;
            -Duser.home=*) java_user_home=${1#*=} ;;
            -D*proxyHost=*) java_has_proxy=true ;;
            -q | --quiet) quiet=true ;;
        esac
        shift
    done
}

# $1: the home directory, unless the arguments say otherwise
locate_distribution() {
    user_home=${option_home:-${property_home:-${GRADLE_USER_HOME:-${java_user_home:-$1}/.gradle}}}
    case $user_home in /*) ;; *) user_home=$PWD/$user_home ;; esac
    versions=$user_home/wrapper/dists/${zip%.zip}
    dist=$versions/$hash
    home=$dist/gradle-$version
    marker=$dist/$zip.ok
}

installed() {
    [ -f "$marker" ] && [ -d "$home" ]
}

passwd_home() {
    { getent passwd "$(id -u)" | cut -d: -f6 | grep .; } 2>/dev/null || printf '%s\n' "${HOME:-}"
}

# The wrapper names the directory after the MD5 sum of the address, written to base 36. A JVM would make this a
# one-liner, but would slow down every single build; so awk does the long division, digit by digit.
hash_of() {
    if command -v md5sum >/dev/null 2>&1; then sum=$(printf %s "$1" | md5sum)
    elif command -v md5 >/dev/null 2>&1; then sum=$(printf %s "$1" | md5 -q)
    else return 1; fi
    printf '%s\n' "$sum" | awk '{
        for (i = 1; i <= 32; i++) digit[i] = index("0123456789abcdef", substr($1, i, 1)) - 1
        do {
            rest = 0
            quotient = 0
            for (i = 1; i <= 32; i++) {
                rest = rest * 16 + digit[i]
                digit[i] = int(rest / 36)
                rest %= 36
                quotient += digit[i]
            }
            out = substr("0123456789abcdefghijklmnopqrstuvwxyz", rest + 1, 1) out
        } while (quotient > 0)
        print out
    }'
}

# Asks Java about itself in the one way that a JRE and versions far too old understand, too.
inspect_java() {
    settings=$("$java" -XshowSettings:properties -version 2>&1 </dev/null) || settings=
    java_home=$(java_setting java.home)
    java_version=$(java_setting java.specification.version)
    : "${property_home:=$(java_setting gradle.user.home)}" # from JAVA_TOOL_OPTIONS and the like
}

java_setting() {
    printf '%s\n' "$settings" | sed -n "s/^ *$1 = //p" | head -n 1
}

# The wrapper does not know the proxies of the environment. If Java was not told of one either, then curl must not use
# them, or it would reach what the wrapper cannot.
official_reachable() (
    if ! "$java_has_proxy" && ! grep -qs proxyHost "$here/../../gradle.properties" "$user_home/gradle.properties"; then
        unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY
    fi
    if command -v curl; then curl -fsSIL --connect-timeout 3 --max-time 6 "$url"
    elif command -v wget; then wget -q --spider -t 1 -T 3 "$url"
    else "$java" "$here/src/bootstrap/Reachable.java" "$url"; fi
) >/dev/null 2>&1 </dev/null

check_tools() {
    [ -n "$java_version" ] || die "$java does not tell its version."
    major=${java_version#1.}
    [ "${major%%.*}" -ge 17 ] || die "that takes a JDK of version 17 or later, and $java is version $java_version."
    [ -x "$java_home/bin/javac" ] || die "that takes a JDK, and $java_home is only a JRE, without javac."
    command -v mvn >/dev/null 2>&1 || die "that takes Maven, and there is no mvn on the PATH."
}

# Holds a lock on the user home itself, which needs no file that would have to be removed again. Where there is no
# flock, or none for this file system, two may assemble at once, and the first to rename its result wins.
lock() {
    { command -v flock >/dev/null 2>&1 && [ -r "$user_home" ]; } || return 0
    exec 9<"$user_home"
    if ! flock -n 9 2>/dev/null; then
        say "gradlew: waiting for another process that is assembling Gradle $version"
        flock 9 2>/dev/null || return 0
    fi
    rm -rf "$versions"/.bootstrap.* # left behind by a process that was killed
}

clean_up() {
    trap '' HUP INT TERM
    [ -z "$work" ] || rm -rf "$work"
    # directories made in vain; those with anything in them stay
    rmdir "$dist" "$versions" "$user_home/wrapper/dists" "$user_home/wrapper" 2>/dev/null || true
}

artifacts() {
    sed -e '/^#/d' -e '/^ *$/d' "$here/artifacts.txt"
}

# Each artifact is wanted by itself, hence the exclusion of whatever it depends on.
write_pom() {
    echo '<project><modelVersion>4.0.0</modelVersion>'
    echo '<groupId>bootstrap</groupId><artifactId>bootstrap</artifactId><version>1</version><packaging>pom</packaging>'
    echo '<dependencies>'
    artifacts | while IFS=': ' read -r group name number _; do
        echo "<dependency><groupId>$group</groupId><artifactId>$name</artifactId><version>$number</version>"
        echo '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>'
        echo '</dependency>'
    done
    echo '</dependencies></project>'
}

# -U: a download that failed the last time is tried again. An own .mvn: settings of an enclosing project do not apply.
fetch() {
    mkdir "$work/.mvn"
    write_pom >"$work/pom.xml"
    # shellcheck disable=SC2086
    (cd "$work" && JAVA_HOME=$java_home exec mvn -q -B -U -f "$work/pom.xml" \
        org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
        -DoutputDirectory="$work/jars" -Daether.connector.connectTimeout=10000 \
        ${GRADLE_BOOTSTRAP_MVN_ARGS:-}) >>"$log" 2>&1 </dev/null 9<&-
}

# The stubs are for Java 11 because Gradle also loads them into compilers of older toolchains.
compile() {
    "$java_home/bin/javac" -d "$work/classes" "$here"/src/bootstrap/*.java >>"$log" 2>&1 9<&- &&
        find "$here/stubs" -name '*.java' -exec "$java_home/bin/javac" --release 11 -proc:none -d "$work/stubs" {} + \
            >>"$log" 2>&1 9<&-
}

in_java() {
    step=$1
    shift
    reason=$("$java" -Xmx1g -cp "$work/classes" bootstrap.Main "$step" "$here" "$work" "$@" \
        2>>"$log" </dev/null 9<&-) || die "${reason:-Java failed to $step it, $log_hint}."
}

assemble() {
    mkdir -p "$versions" 2>/dev/null || die "$user_home cannot be written to."
    trap clean_up EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    lock
    if [ -f "$home/.assembled" ]; then # by one that was killed just before the end, or while this one was waiting
        true >"$marker"
        return
    fi
    mkdir -p "$versions" # again: one that failed while this one was waiting has removed it
    # in the same file system as the result, which is therefore only renamed in the end
    work=$(mktemp -d "$versions/.bootstrap.XXXXXX" 2>/dev/null) || die "$versions cannot be written to."
    log=${GRADLE_BOOTSTRAP_LOG:-$work/log}
    true 2>/dev/null >>"$log" || die "$log cannot be written to."
    log_hint='GRADLE_BOOTSTRAP_LOG=FILE keeps the details'

    say "[1/4] fetching $(artifacts | grep -c .) artifacts with Maven"
    fetch || die "Maven could not fetch the artifacts, is the network there? ($log_hint)"
    say '[2/4] checking their checksums'
    compile || die "the bootstrap could not be compiled, $log_hint."
    in_java verify
    say '[3/4] rebuilding the modules of Gradle'
    in_java assemble
    say "[4/4] installing in $home"
    in_java install "$home" "$marker" "$user_home"
}

version=$(artifacts | sed -n 's/^[^:]*:gradle-api:\([^ ]*\) .*/\1/p')
url=$(sed -n 's/^distributionUrl=//p' "$wrapper_properties" | tr -d '\\\r' | sed 's,//[^/@]*@,//,')
zip=${url##*/}

# Another version or a local file is none of our business.
case $url in http://* | https://*) ;; *) exit 0 ;; esac
case $zip in "gradle-$version-bin.zip" | "gradle-$version-all.zip") ;; *) exit 0 ;; esac
hash=$(hash_of "$url") || exit 0

read_arguments "$@"
java_options="${JAVA_TOOL_OPTIONS:-} ${JDK_JAVA_OPTIONS:-}"
case $java_options in *proxyHost=*) java_has_proxy=true ;; esac
case $java_options in
    *user.home=*) ;; # only Java can tell where that leads
    *)
        locate_distribution "$(passwd_home)"
        ! installed || exit 0
        ;;
esac

# From here on once in a lifetime, so it may take a moment.
inspect_java
locate_distribution "$(java_setting user.home)"
! installed || exit 0
! official_reachable || exit 0
check_tools
say "gradlew: the official Gradle $version cannot be downloaded here, so it is assembled from Maven artifacts, once"
assemble
