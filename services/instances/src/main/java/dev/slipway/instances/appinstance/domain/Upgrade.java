package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.AppInstance.Previous;
import dev.slipway.instances.appinstance.domain.AppInstance.Terms;
import org.jspecify.annotations.Nullable;

/** What an instance is to run: after an upgrade, with what it came from; after a rollback, with nothing to go back to. */
public record Upgrade(
        App app, String config, Terms terms, @Nullable Previous previous) {}
