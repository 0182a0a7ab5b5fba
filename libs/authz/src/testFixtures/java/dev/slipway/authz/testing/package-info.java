@org.jspecify.annotations.NullMarked
package dev.slipway.authz.testing;
