/** Records and rules of organizations, projects, roles and bindings, without I/O. */
@NullMarked
package dev.slipway.iam.tenancy.domain;

import org.jspecify.annotations.NullMarked;
