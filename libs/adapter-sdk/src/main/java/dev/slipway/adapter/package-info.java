/**
 * What the author of a runtime adapter uses: implement {@link dev.slipway.adapter.RuntimeAdapter}, hand it to
 * {@link dev.slipway.adapter.AdapterHost}.
 *
 * <p>The host takes commands from Kafka into a journal on disk, has the adapter carry them out, and sends the reports. A command is
 * committed once it is in the journal; it leaves the journal in the same write that puts its outcome there; a report leaves when the
 * broker has it. So a crash at any point loses nothing: at worst the adapter is asked again for what it has done already, and a report
 * is sent again under the same id.
 */
@NullMarked
package dev.slipway.adapter;

import org.jspecify.annotations.NullMarked;
