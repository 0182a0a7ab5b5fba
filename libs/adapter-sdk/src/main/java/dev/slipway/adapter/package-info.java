/**
 * The SDK for runtime adapters: implement {@link dev.slipway.adapter.RuntimeAdapter} and pass it to {@link
 * dev.slipway.adapter.AdapterHost}.
 *
 * <p>The host writes commands from Kafka to a journal on disk, calls the adapter and sends reports. It commits the offset of a command
 * after journaling it, replaces the command by its outcome in one write, and removes a report after the broker has acknowledged it. A crash
 * therefore loses nothing: at worst the adapter is called again for a command that it has executed, and a report is resent with the same
 * id.
 */
@NullMarked
package dev.slipway.adapter;

import org.jspecify.annotations.NullMarked;
