/**
 * Runs app instances as processes of this machine (Linux), from command lines of its own configuration: a process for every member.
 *
 * <p>An instance has a directory: {@code spec.json} while it should run, {@code metered-until} where its time is usage, and a directory
 * for every process, with {@code pid}, {@code port} and {@code log}. A process claims its directory by linking its own pid to {@code pid}
 * before it becomes the app, so there is never a second one, whatever crashes when; and it carries its name in its environment, so a pid
 * that the system gave to somebody else is not mistaken for it. What is not in {@code spec.json} is not to run: after a crash in the middle
 * of an upgrade that is the side that had not taken over, or did no more.
 */
@NullMarked
package dev.slipway.processadapter;

import org.jspecify.annotations.NullMarked;
