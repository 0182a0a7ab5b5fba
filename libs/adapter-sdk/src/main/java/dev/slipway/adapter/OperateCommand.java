package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

/** Command to run an operation that the manifest declares. The platform validates input and output against their schemas. */
public record OperateCommand(Task task, String operation, JsonNode input) {}
