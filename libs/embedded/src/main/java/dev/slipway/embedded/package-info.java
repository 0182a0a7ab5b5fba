/**
 * Real Kafka and real PostgreSQL, started from artifacts of Maven Central and kept under one directory.
 *
 * <p>Blocking on purpose: it runs before anything listens and after everything stopped, never on an event loop.
 */
@NullMarked
package dev.slipway.embedded;

import org.jspecify.annotations.NullMarked;
