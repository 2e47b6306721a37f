package io.malob.endhost;

import io.malob.json.RejectedException;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;

/**
 * A host's flows over its uplinks, for other modules. Requests and answers are the JSON documents
 * that docs/reference/rest-api.md describes. Safe for use by several threads: changes are made one
 * at a time, and a change that is requested during another one starts from its result.
 */
public interface IEndhostService extends IFloodlightService {
  /** How things stand. */
  Map<String, @Nullable Object> status();

  /**
   * Replaces the configuration. Flows stay on their uplink if its address does not change.
   *
   * @param request a JSON document
   */
  Map<String, @Nullable Object> configure(byte[] request) throws RejectedException;

  /** Changes the rule that chooses uplinks for new flows. */
  Map<String, @Nullable Object> setAlgorithm(byte[] request) throws RejectedException;

  /** Sets the capacity of an uplink, or has it measured again. */
  Map<String, @Nullable Object> setCapacity(String uplink, byte[] request) throws RejectedException;

  /**
   * The open flows, newest first.
   *
   * @param limit the max number
   */
  List<Map<String, @Nullable Object>> flows(int limit) throws RejectedException;

  /**
   * Resets all flows, deletes all rules and the configuration. A configuration that arrives
   * meanwhile waits and is applied afterwards, to a switch without rules.
   *
   * @return whether there was one
   */
  boolean clear();

  /**
   * Whether all changes that were requested are in effect. Requests wait a second for that; after
   * it, the change is still made in order.
   */
  boolean isInForce();
}
