package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.contract.domain.TextEnum;
import io.vertx.core.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.Supplier;

/** Parses commands and calls the matching method of the adapter. */
final class AdapterInvoker {
    private static final Logger LOG = LoggerFactory.getLogger(AdapterInvoker.class);

    private AdapterInvoker() {}

    /** Invokes the adapter. A malformed command fails at once, because a retry cannot succeed. */
    static Future<Outcome> invoke(RuntimeAdapter adapter, Message command, Progress progress) {
        Supplier<Future<Outcome>> call;
        try {
            call = parse(adapter, command, progress);
        } catch (IllegalArgumentException e) {
            // The reason is shown to the tenant, and the message can be that of a library.
            LOG.atWarn()
                    .addKeyValue("command_id", command.id())
                    .addKeyValue("type", command.event().eventType())
                    .setCause(e)
                    .log("malformed command");
            return Future.succeededFuture(new Failed("the command does not match its schema"));
        }
        return call.get();
    }

    private static Supplier<Future<Outcome>> parse(RuntimeAdapter adapter, Message command, Progress progress) {
        var payload = command.event().payload();
        return switch (command.kind()) {
            case DEPLOY -> {
                var deploy = new DeployCommand(
                        command.task(),
                        object(payload, "manifest"),
                        object(payload, "config"),
                        MemberRef.parseAll(payload.path("members")),
                        AttachedProject.parseAll(payload.path("attachments")));
                yield () -> adapter.deploy(deploy, progress);
            }
            case UPGRADE -> {
                var upgrade = upgrade(command);
                yield () -> adapter.upgrade(upgrade, progress);
            }
            case ROLLBACK -> {
                var rollback = upgrade(command);
                yield () -> adapter.rollback(rollback, progress);
            }
            case MEMBER -> {
                var member = member(command);
                yield () -> adapter.changeMember(member, progress);
            }
            case OPERATE -> {
                var operate = new OperateCommand(
                        command.task(),
                        text(payload, "operation"),
                        object(payload, "input"),
                        SubmittedBy.parse(payload.path("submitted_by")));
                yield () -> adapter.operate(operate, progress);
            }
            case DELETE -> () -> adapter.delete(new DeleteCommand(command.task()), progress);
            case CANCEL -> throw new IllegalStateException("a cancel command is not executed by the adapter");
        };
    }

    private static UpgradeCommand upgrade(Message command) {
        var payload = command.event().payload();
        return new UpgradeCommand(
                command.task(),
                text(payload, "from_version"),
                object(payload, "manifest"),
                object(payload, "config"),
                MemberRef.parseAll(payload.path("members")),
                AttachedProject.parseAll(payload.path("attachments")));
    }

    private static MemberCommand member(Message command) {
        var payload = command.event().payload();
        var operation = TextEnum.parse(MemberCommand.Operation.class, text(payload, "operation"));
        var replacement = payload.has("replacement") ? MemberRef.parse(payload.path("replacement")) : null;
        if (operation == MemberCommand.Operation.REPLACE && replacement == null) {
            throw new IllegalArgumentException("replacement is missing");
        }
        return new MemberCommand(
                command.task(),
                operation,
                MemberRef.parse(payload.path("member")),
                replacement,
                MemberRef.parseLabels(payload.path("labels")));
    }

    private static ObjectNode object(JsonNode payload, String field) {
        if (payload.path(field) instanceof ObjectNode object) {
            return object;
        }
        throw new IllegalArgumentException(field + " is missing");
    }

    private static String text(JsonNode payload, String field) {
        if (!payload.path(field).isTextual()) {
            throw new IllegalArgumentException(field + " is missing");
        }
        return payload.path(field).textValue();
    }
}
