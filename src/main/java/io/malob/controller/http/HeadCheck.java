package io.malob.controller.http;

import java.util.OptionalInt;
import org.restlet.Request;

/**
 * Judges requests by their heads, before their bodies are read. Runs on the event loops: must not
 * block. Safe for use by several threads.
 */
public interface HeadCheck {

  /**
   * The max size of the body of a request that has one; empty if the restlet refuses the request
   * anyway, so that its body is not read.
   */
  OptionalInt bodyLimit(Request head);

  /** What its handler may wait for. */
  Wait waitOf(Request head);

  /** What a handler may wait for: each kind has its own threads, so that it delays no other. */
  enum Wait {
    /** For nothing outside of this process. */
    NOTHING,
    /** For the store of a change. */
    STORE,
    /** For the answer of a switch. */
    SWITCH
  }
}
