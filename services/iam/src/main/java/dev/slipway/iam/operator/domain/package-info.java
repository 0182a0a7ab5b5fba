/** Records of the service accounts that operate shared runtimes, without I/O. */
@NullMarked
package dev.slipway.iam.operator.domain;

import org.jspecify.annotations.NullMarked;
