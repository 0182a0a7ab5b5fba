package dev.slipway.instances.member;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.member.domain.Component;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberOperation;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Members as the contract writes them, and components as manifests do. */
public final class MemberJson {
    private MemberJson() {}

    static ObjectNode full(Member member) {
        var node = Json.object();
        node.put("id", member.id().toString());
        node.put("app_instance_id", member.appInstanceId().toString());
        node.put("project_id", member.projectId().toString());
        node.put("component", member.component());
        node.put("generation", member.generation());
        node.put("desired_state", member.desired().text());
        node.put("observed_state", member.observed().text());
        node.put("component_key", member.componentKey());
        node.putRawValue("adapter_detail", new RawValue(member.adapterDetail()));
        node.put("reason", member.reason());
        node.set("labels", labels(member.labels()));
        node.put("cordoned", member.cordoned());
        node.put("created_at", member.createdAt().toString());
        node.put("updated_at", member.updatedAt().toString());
        return node;
    }

    /** {@code instance} has the number of the event already. */
    static ObjectNode event(AppInstance instance, Member member, @Nullable UUID operationId) {
        var node = Json.object();
        node.put("org_id", instance.orgId().toString());
        node.put("project_id", instance.projectId().toString());
        node.put("app_slug", instance.app().slug());
        node.put("app_instance_id", instance.id().toString());
        node.put("sequence", instance.sequence());
        node.put("member_id", member.id().toString());
        node.put("component", member.component());
        node.put("generation", member.generation());
        node.put("desired_state", member.desired().text());
        node.put("observed_state", member.observed().text());
        node.put("component_key", member.componentKey());
        node.put("reason", member.reason());
        node.put("operation_id", operationId == null ? null : operationId.toString());
        return node;
    }

    /** Members as commands name them. */
    public static ArrayNode commanded(Collection<Member> members) {
        var array = Json.array();
        members.forEach(member -> array.add(commanded(member)));
        return array;
    }

    static ObjectNode commanded(Member member) {
        var node = Json.object();
        node.put("member_id", member.id().toString());
        node.put("component", member.component());
        node.put("generation", member.generation());
        if (member.componentKey() != null) {
            node.put("component_key", member.componentKey());
        }
        return node;
    }

    static ObjectNode labels(Map<String, String> labels) {
        var node = Json.object();
        labels.forEach(node::put);
        return node;
    }

    static Map<String, String> labels(JsonNode node) {
        var labels = new HashMap<String, String>();
        node.properties()
                .forEach(field -> labels.put(field.getKey(), field.getValue().asText()));
        return labels;
    }

    static List<Component> components(JsonNode manifest) {
        var components = new ArrayList<Component>();
        for (var component : manifest.path("components")) {
            var allowed = EnumSet.noneOf(MemberOperation.class);
            component.path("operations").forEach(name -> allowed.add(MemberOperation.of(name.asText())));
            var min = component.path("min").asInt();
            components.add(new Component(
                    component.path("key").asText(),
                    min,
                    component.path("max").asInt(),
                    component.path("default").asInt(min),
                    allowed));
        }
        return components;
    }
}
