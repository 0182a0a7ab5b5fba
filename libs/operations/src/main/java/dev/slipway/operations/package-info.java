/** Operations, commands, reports, deadlines, timelines and streams of a subject, whatever kind of resource the subject is. */
@NullMarked
package dev.slipway.operations;

import org.jspecify.annotations.NullMarked;
