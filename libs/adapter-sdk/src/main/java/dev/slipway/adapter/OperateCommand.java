package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

/** Run an operation that the manifest declares. The platform has checked the input, and checks the output. */
public record OperateCommand(Task task, String operation, JsonNode input) {}
