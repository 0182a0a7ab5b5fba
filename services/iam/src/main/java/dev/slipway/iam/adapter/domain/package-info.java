/** Records of registered runtime adapters, without I/O. */
@NullMarked
package dev.slipway.iam.adapter.domain;

import org.jspecify.annotations.NullMarked;
