@NullMarked
package dev.slipway.instances.member.domain;

import org.jspecify.annotations.NullMarked;
