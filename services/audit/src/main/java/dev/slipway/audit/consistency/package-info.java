/** The consistency of the platform: the results of the checks of all services, and the checks of the archive and the logs. */
@NullMarked
package dev.slipway.audit.consistency;

import org.jspecify.annotations.NullMarked;
