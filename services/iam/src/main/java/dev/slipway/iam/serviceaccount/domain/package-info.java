/** Pure types of service accounts. */
@NullMarked
package dev.slipway.iam.serviceaccount.domain;

import org.jspecify.annotations.NullMarked;
