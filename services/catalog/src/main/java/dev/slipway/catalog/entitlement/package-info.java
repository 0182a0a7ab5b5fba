/** Which apps a project may use, and what it may do with them. */
@NullMarked
package dev.slipway.catalog.entitlement;

import org.jspecify.annotations.NullMarked;
