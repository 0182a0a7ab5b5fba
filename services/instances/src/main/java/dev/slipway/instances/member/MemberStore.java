package dev.slipway.instances.member;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.Member.DesiredState;
import dev.slipway.instances.member.domain.Member.ObservedState;
import dev.slipway.messaging.SqlTime;
import dev.slipway.operations.domain.SubjectRef;
import io.vertx.sqlclient.Row;

/** Reads members from the rows of instances' members and of shared runtimes' workers. */
public final class MemberStore {
    private MemberStore() {}

    public static Member read(Row row, SubjectRef subject) {
        return new Member(
                row.getUUID("id"),
                subject,
                row.getString("component"),
                row.getInteger("generation"),
                TextEnum.parse(DesiredState.class, row.getString("desired_state")),
                TextEnum.parse(ObservedState.class, row.getString("observed_state")),
                row.getString("component_key"),
                row.getString("adapter_detail"),
                row.getString("reason"),
                MemberJson.readLabels(row.getString("labels")),
                row.getBoolean("cordoned"),
                SqlTime.read(row, "created_at"),
                SqlTime.read(row, "updated_at"));
    }
}
