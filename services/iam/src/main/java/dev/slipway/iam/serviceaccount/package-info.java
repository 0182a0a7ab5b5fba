/** Stores and lists the service accounts of projects. */
@NullMarked
package dev.slipway.iam.serviceaccount;

import org.jspecify.annotations.NullMarked;
