/** Compares the usage of a tenant with the quotas of its plan, without I/O. */
@NullMarked
package dev.slipway.tenants.quota.domain;

import org.jspecify.annotations.NullMarked;
