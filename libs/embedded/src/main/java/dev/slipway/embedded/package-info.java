/**
 * Starts real Kafka and PostgreSQL servers from artifacts on Maven Central, with their data in one directory. All methods block: they are called
 * before the event loops start and after they have stopped.
 */
@NullMarked
package dev.slipway.embedded;

import org.jspecify.annotations.NullMarked;
