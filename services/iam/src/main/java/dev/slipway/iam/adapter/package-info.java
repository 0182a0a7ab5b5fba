@NullMarked
package dev.slipway.iam.adapter;

import org.jspecify.annotations.NullMarked;
