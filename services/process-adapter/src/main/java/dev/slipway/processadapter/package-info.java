/**
 * Runs app instances as Linux processes of this machine, one process per member, from command lines in the adapter's configuration.
 *
 * <p>Each instance has a directory with {@code spec.json} while it should run, {@code metered-until} if its running time is metered, and a
 * directory per process with {@code pid}, {@code port} and {@code log}. A process claims its directory by hard-linking its pid file to
 * {@code pid} before exec, so a second process can never run, whatever crashes. It also carries its name in its environment, so that a
 * reused pid is not mistaken for it. Processes that are not in {@code spec.json} are terminated: after a crash during an upgrade these are
 * the ones of the version that is not in effect.
 */
@NullMarked
package dev.slipway.processadapter;

import org.jspecify.annotations.NullMarked;
