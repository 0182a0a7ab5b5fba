@NullMarked
package dev.slipway.iam.revision;

import org.jspecify.annotations.NullMarked;
