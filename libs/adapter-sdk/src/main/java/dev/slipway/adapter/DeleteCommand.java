package dev.slipway.adapter;

/** Command to remove an instance completely. */
public record DeleteCommand(Task task) {}
