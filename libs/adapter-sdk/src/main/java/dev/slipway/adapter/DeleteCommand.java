package dev.slipway.adapter;

/** End the instance and everything that belongs to it. */
public record DeleteCommand(Task task) {}
