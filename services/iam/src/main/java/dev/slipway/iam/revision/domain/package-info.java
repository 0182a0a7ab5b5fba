/** A revision and the records that are published with it, without I/O. */
@NullMarked
package dev.slipway.iam.revision.domain;

import org.jspecify.annotations.NullMarked;
