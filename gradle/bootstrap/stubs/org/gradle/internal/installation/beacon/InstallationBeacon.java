package org.gradle.internal.installation.beacon;

/** Gradle finds its own installation directory by asking which jar this class was loaded from. */
public class InstallationBeacon {
}
