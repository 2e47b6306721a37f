package io.malob.mptcp;

import io.malob.json.RejectedException;
import java.util.Map;
import java.util.Optional;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;

/**
 * The routes of MPTCP sub-flows, for other modules. Requests and answers are the JSON documents
 * that docs/reference/rest-api.md describes. Safe for use by several threads.
 */
public interface IMptcpService extends IFloodlightService {

  /**
   * Computes a plan like {@link #apply}, without changes. Takes up to some seconds.
   *
   * @param request a JSON document
   */
  Map<String, @Nullable Object> plan(byte[] request) throws RejectedException;

  /**
   * Computes a plan and installs it, replacing the previous one. Returns when the switches have
   * confirmed it, or some seconds later.
   *
   * @param request a JSON document
   * @return the {@link #status} then
   */
  Map<String, @Nullable Object> apply(byte[] request) throws RejectedException;

  /** The installed plan. */
  Map<String, @Nullable Object> status();

  /**
   * Removes the plan: its hosts' packets use ordinary forwarding again.
   *
   * @return false if there was none
   */
  boolean clear() throws RejectedException;

  /** Whether all switches have confirmed the latest change. */
  boolean isInForce();

  /** The installed plan as SVG; empty if there is none. */
  Optional<String> picture();
}
