/** The pure model of app instances: records, state machines and the decisions on requests and reports. */
@NullMarked
package dev.slipway.instances.appinstance.domain;

import org.jspecify.annotations.NullMarked;
