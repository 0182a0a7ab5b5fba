package dev.slipway.service.consistency;

/**
 * Rows of one service that other services compare with their own, because no service reads the tables of another.
 *
 * @param name identifies the claim on the platform, such as {@code instances.state}
 * @param slice returns the next rows in the order of their column {@code key} (text), with a column {@code value} (text): {@code $1} is the last
 *     key of the previous slice, or an empty text, and {@code $2} the number of rows. Omit rows that have changed within the last
 *     seconds: their events may still be on the way.
 */
public record ConsistencyClaim(String name, String slice) {}
