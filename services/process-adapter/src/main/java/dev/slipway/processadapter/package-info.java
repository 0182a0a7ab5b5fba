/**
 * Runs app instances as processes of this machine (Linux), from command lines of its own configuration.
 *
 * <p>An instance has a directory: {@code spec.json} while it should run, {@code pid}, {@code port}, {@code log}. A process claims the
 * directory by linking its own pid to {@code pid} before it becomes the app, so there is never a second one, whatever crashes when; and
 * it carries the instance's id in its environment, so a pid that the system gave to somebody else is not mistaken for it.
 */
@NullMarked
package dev.slipway.processadapter;

import org.jspecify.annotations.NullMarked;
