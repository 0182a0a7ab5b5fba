/** Quotas and usage, without I/O. */
@NullMarked
package dev.slipway.tenants.quota.domain;

import org.jspecify.annotations.NullMarked;
