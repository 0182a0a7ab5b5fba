#!/bin/sh
# Builds the base image eclipse-temurin:17-jre from Debian packages. Arguments: the name of the image, a directory for the root file system.
# SLIPWAY_JRE_ROOT names a root file system that was made before, where the engine has no network.
set -e
root=${SLIPWAY_JRE_ROOT:-$2}
[ -d "$root/usr" ] || debootstrap --variant=minbase --include=ca-certificates,openjdk-17-jre-headless bookworm "$root"
tar -C "$root" --exclude='./var/cache/apt/archives/*.deb' --exclude='./var/lib/apt/lists/*' -c . | docker import - "$1"
