package dev.slipway.adapter;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;

/** A command being carried out, as its adapter sees it. For the event loop that the adapter was called on. */
public interface Progress {

    /** How far it is, in percent, and what it waits for. What is left out is left as it was. */
    record Step(@Nullable Integer percent, @Nullable String message, List<Blocker> blockers) {
        public Step {
            blockers = List.copyOf(blockers);
        }
    }

    /** Done when the word is safe; it is sent as soon as possible, unless a later one makes it old news. Of a delete nothing is sent. */
    Future<Void> say(Step step);

    /** Tells whoever waits what is going on. */
    default Future<Void> say(String message) {
        return say(new Step(null, message, List.of()));
    }

    default Future<Void> say(int percent, String message) {
        return say(new Step(percent, message, List.of()));
    }

    /** Tells what the command waits for, and whose turn it is. */
    default Future<Void> waitsFor(Blocker blocker) {
        return say(new Step(null, blocker.message(), List.of(blocker)));
    }

    /** Tells what became of members in the course of this command. Done when it is safe. */
    Future<Void> members(List<MemberState> members);

    /**
     * Done when the command is not wanted any more: it was canceled, its deadline has passed, or its instance is to be deleted. An
     * adapter that watches for it undoes what is half done and ends with {@link Outcome.Canceled}. One that does not may end as it would
     * have: a command that came to its end anyway is reported as such, save before a delete, when nothing is.
     */
    Future<Void> cancelled();
}
