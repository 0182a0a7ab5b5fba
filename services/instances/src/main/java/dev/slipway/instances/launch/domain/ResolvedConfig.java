package dev.slipway.instances.launch.domain;

import dev.slipway.operations.domain.Refusal.InvalidField;

import java.util.List;

/** Launch parameters with the version's defaults, as JSON text, and the fields that the version does not accept. */
public record ResolvedConfig(String text, List<InvalidField> problems) {}
