/** Short-lived credentials for artifact registries. */
@NullMarked
package dev.slipway.catalog.artifact.credential;

import org.jspecify.annotations.NullMarked;
