/**
 * Publishes and consumes events: {@link dev.slipway.messaging.Outbox} commits them with the state, {@link dev.slipway.messaging.Relay} sends
 * them to Kafka, {@link dev.slipway.messaging.InboxConsumer} applies them once, and {@link dev.slipway.messaging.StateReader} loads a
 * compacted topic into memory.
 */
@NullMarked
package dev.slipway.messaging;

import org.jspecify.annotations.NullMarked;
