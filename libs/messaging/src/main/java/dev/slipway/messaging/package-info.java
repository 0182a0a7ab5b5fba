/**
 * How facts leave and enter a service. Out: {@link dev.slipway.messaging.Outbox} commits them with the state, and
 * {@link dev.slipway.messaging.Relay} publishes them. In: {@link dev.slipway.messaging.InboxConsumer} applies them once, and
 * {@link dev.slipway.messaging.StateReader} keeps a compacted topic in memory.
 */
@NullMarked
package dev.slipway.messaging;

import org.jspecify.annotations.NullMarked;
