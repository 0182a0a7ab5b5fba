/** Operations, commands, reports, deadlines, timelines and streams of a subject, regardless of its kind of resource. */
@NullMarked
package dev.slipway.operations;

import org.jspecify.annotations.NullMarked;
