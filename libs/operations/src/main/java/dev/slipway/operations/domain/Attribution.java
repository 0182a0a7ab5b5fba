package dev.slipway.operations.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * The project that an operation on a subject of an organization belongs to.
 *
 * @param projectId null if the operation belongs to the owner of the subject
 * @param attachmentId the attachment of that project; null without a project
 * @param principalType the type of the principal that requested the operation
 */
public record Attribution(
        @Nullable UUID projectId, @Nullable UUID attachmentId, String principalType) {}
