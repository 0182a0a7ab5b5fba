/** Usage facts: ingest by API and topic, exact deduplication, sums, queries and export. */
@NullMarked
package dev.slipway.metering.usage;

import org.jspecify.annotations.NullMarked;
