package io.malob.endhost;

import io.malob.json.RejectedException;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.jspecify.annotations.Nullable;

/**
 * A host's flows over its uplinks, as other modules see them. Requests and answers are the JSON
 * documents that docs/reference/rest-api.md describes. Safe for use by several threads: changes are
 * made one at a time, and a change that is requested during another one starts from its result.
 */
public interface IEndhostService extends IFloodlightService {
  /** How things stand. */
  Map<String, @Nullable Object> status();

  /**
   * Takes a configuration in place of the one before, if there is one. Flows stay where they are if
   * their uplink keeps its address.
   *
   * @param request a JSON document
   */
  Map<String, @Nullable Object> configure(byte[] request) throws RejectedException;

  /** Chooses new flows' uplinks by another rule from now on. */
  Map<String, @Nullable Object> setAlgorithm(byte[] request) throws RejectedException;

  /** Sets what an uplink can carry, or has it measured again. */
  Map<String, @Nullable Object> setCapacity(String uplink, byte[] request) throws RejectedException;

  /**
   * The open flows, newest first.
   *
   * @param limit at most so many
   */
  List<Map<String, @Nullable Object>> flows(int limit) throws RejectedException;

  /**
   * Resets all flows, takes all rules away and forgets the configuration. A configuration that
   * comes meanwhile waits and is applied afterwards, to a switch without rules.
   *
   * @return whether there was one
   */
  boolean clear();

  /**
   * Whether all changes that were requested are in effect. Requests wait a second for that; after
   * it, the change is made in its turn.
   */
  boolean isInForce();
}
