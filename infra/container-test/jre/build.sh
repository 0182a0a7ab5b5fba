#!/bin/sh
# Builds the base image eclipse-temurin:17-jre from Debian packages. Arguments: the name of the image, a directory for the root file system.
set -e
debootstrap --variant=minbase --include=ca-certificates,openjdk-17-jre-headless bookworm "$2"
rm -rf "$2"/var/cache/apt/archives/*.deb "$2"/var/lib/apt/lists/*
tar -C "$2" -c . | docker import - "$1"
