package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

/** Make the instance run as the app version's manifest says, with this configuration. */
public record DeployCommand(Task task, JsonNode manifest, JsonNode config) {}
