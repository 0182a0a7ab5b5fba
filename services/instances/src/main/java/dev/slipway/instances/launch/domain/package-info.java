/** The pure model of launches: requests, eligibility, placements, and the versions that an upgrade or a rollback leads to. */
@NullMarked
package dev.slipway.instances.launch.domain;

import org.jspecify.annotations.NullMarked;
