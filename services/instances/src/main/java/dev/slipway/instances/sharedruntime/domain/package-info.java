/** The pure model of shared runtimes: records, state machines, policies and the decisions on requests and reports. */
@NullMarked
package dev.slipway.instances.sharedruntime.domain;

import org.jspecify.annotations.NullMarked;
