/** The decision whether a release may proceed, without I/O. */
@NullMarked
package dev.slipway.catalog.releasegate.domain;

import org.jspecify.annotations.NullMarked;
