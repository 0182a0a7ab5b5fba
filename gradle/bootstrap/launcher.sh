#!/bin/sh
# Starts the assembled Gradle @VERSION@. The wrapper does not use this; it is here for people who do.
app=$0
while [ -h "$app" ]; do
    link=$(readlink "$app")
    case $link in /*) app=$link ;; *) app=$(dirname "$app")/$link ;; esac
done
home=$(cd "$(dirname "$app")/.." && pwd -P) || exit 1
if [ -n "$JAVA_HOME" ]; then java=$JAVA_HOME/bin/java; else java=java; fi
exec "$java" -Xmx64m -Xms64m $JAVA_OPTS $GRADLE_OPTS -Dorg.gradle.appname=gradle \
    -classpath "$home/lib/gradle-launcher-@VERSION@.jar" org.gradle.launcher.GradleMain "$@"
