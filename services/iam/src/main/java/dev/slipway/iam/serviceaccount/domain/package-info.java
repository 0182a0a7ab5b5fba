/** Records of service accounts, without I/O. */
@NullMarked
package dev.slipway.iam.serviceaccount.domain;

import org.jspecify.annotations.NullMarked;
