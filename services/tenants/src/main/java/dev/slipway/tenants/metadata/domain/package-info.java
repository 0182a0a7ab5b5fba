/** Describes deployed objects: fields, indexes and permissions, without I/O. */
@NullMarked
package dev.slipway.tenants.metadata.domain;

import org.jspecify.annotations.NullMarked;
