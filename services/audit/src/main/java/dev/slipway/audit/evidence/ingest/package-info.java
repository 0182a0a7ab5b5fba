/** Readers of the formats in which other systems deliver evidence. */
@NullMarked
package dev.slipway.audit.evidence.ingest;

import org.jspecify.annotations.NullMarked;
