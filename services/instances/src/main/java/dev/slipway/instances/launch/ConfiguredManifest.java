package dev.slipway.instances.launch;

import dev.slipway.instances.launch.domain.ResolvedConfig;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a version, and the launch parameters as it resolves them.
 *
 * @param manifest null if there is no such version
 */
public record ConfiguredManifest(@Nullable CompiledManifest manifest, ResolvedConfig config) {}
