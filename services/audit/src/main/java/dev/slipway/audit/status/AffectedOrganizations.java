package dev.slipway.audit.status;

import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Checks the organizations that an incident or a maintenance window names.
 *
 * @param isOrganization whether an id is that of an organization
 */
public record AffectedOrganizations(Predicate<UUID> isOrganization) {
    /** Rejects a list with an id of something else. */
    public void require(@Nullable List<UUID> orgIds) {
        for (var i = 0; orgIds != null && i < orgIds.size(); i++) {
            if (!isOrganization.test(orgIds.get(i))) {
                throw Problem.validationOf(
                                ErrorCode.VALIDATION_ERROR, "/org_ids/" + i, "is not the id of an organization")
                        .asException();
            }
        }
    }
}
