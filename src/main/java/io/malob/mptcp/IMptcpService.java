package io.malob.mptcp;

import io.malob.json.RejectedException;
import java.util.Map;
import java.util.Optional;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;

/**
 * The routes of MPTCP sub-flows, as other modules see them. Requests and answers are the JSON
 * documents that docs/reference/rest-api.md describes. Safe for use by several threads.
 */
public interface IMptcpService extends IFloodlightService {

  /**
   * The plan that {@link #apply} would make now. Changes nothing. Takes up to some seconds.
   *
   * @param request a JSON document
   */
  Map<String, @Nullable Object> plan(byte[] request) throws RejectedException;

  /**
   * Makes a plan and puts it in place of the one before, if there is one. Returns when the switches
   * lead by it, or some seconds later.
   *
   * @param request a JSON document
   * @return what {@link #status} says then
   */
  Map<String, @Nullable Object> apply(byte[] request) throws RejectedException;

  /** What is in place. */
  Map<String, @Nullable Object> status();

  /**
   * Takes the plan away: its hosts' packets go by ordinary forwarding again.
   *
   * @return false if there was none
   */
  boolean clear() throws RejectedException;

  /**
   * Whether switches lead packets by the latest change; not if some have not confirmed it, or have
   * not taken it.
   */
  boolean isInForce();

  /** The plan that is in place, drawn as SVG; empty if there is none. */
  Optional<String> picture();
}
