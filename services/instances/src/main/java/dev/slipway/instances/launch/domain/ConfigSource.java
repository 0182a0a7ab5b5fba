package dev.slipway.instances.launch.domain;

/** The rule by which the launch parameters of a change are resolved. */
public enum ConfigSource {
    /** From the request: with defaults, and validated. */
    REQUEST,
    /** From the instance: as {@link #REQUEST}, without the parameters that the new version locks. */
    INSTANCE,
    /** From the previous version, unchanged. */
    PREVIOUS
}
