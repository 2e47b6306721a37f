package io.malob.controller.http;

import io.malob.controller.access.RequestHead;
import io.malob.resource.Reply;
import io.malob.resource.RequestBody;
import java.util.OptionalInt;

/** Answers requests. Safe for use by several threads. */
@FunctionalInterface
public interface HttpHandler {

  /** Judges a request by its head, on an event loop: must not block. */
  Exchange judge(RequestHead head);

  /** A request whose head has been judged. */
  interface Exchange {
    /** The max size of its body; empty if it is refused anyway, so that its body is not read. */
    OptionalInt bodyLimit();

    /** What {@link #answer} may wait for. */
    Wait waitsFor();

    /** The answer; called once, on a thread of its own. */
    Reply answer(RequestBody body);
  }

  /** What an answer may wait for: each kind has its own threads, so that it delays no other. */
  enum Wait {
    /** For nothing outside of this process. */
    NOTHING,
    /** For the store of a change. */
    STORE,
    /** For the answer of a switch. */
    SWITCH
  }
}
