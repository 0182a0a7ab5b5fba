/** The pure model of adapter reports and of the usage windows in them. */
@NullMarked
package dev.slipway.instances.report.domain;

import org.jspecify.annotations.NullMarked;
