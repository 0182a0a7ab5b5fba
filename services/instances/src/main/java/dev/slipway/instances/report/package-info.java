/** Maps and checks adapter reports on app instances and shared runtimes. */
@NullMarked
package dev.slipway.instances.report;

import org.jspecify.annotations.NullMarked;
