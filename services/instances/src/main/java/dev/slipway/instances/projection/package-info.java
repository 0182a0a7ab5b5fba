/** The read models of IAM and catalog data that the instances service maintains from topics. */
@NullMarked
package dev.slipway.instances.projection;

import org.jspecify.annotations.NullMarked;
