/** Runs any subset of the services in one process, on embedded or external Kafka and PostgreSQL. */
@NullMarked
package dev.slipway.standalone;

import org.jspecify.annotations.NullMarked;
