/** The pure model of members of app instances and shared runtimes: their state machine and operations. */
@NullMarked
package dev.slipway.instances.member.domain;

import org.jspecify.annotations.NullMarked;
