/** App instances with their operations, members, commands and history: one aggregate, one lock, one sequence. */
@NullMarked
package dev.slipway.instances.appinstance;

import org.jspecify.annotations.NullMarked;
