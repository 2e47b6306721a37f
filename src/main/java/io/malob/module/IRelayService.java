package io.malob.module;

import io.malob.openflow.RuleSender.SwitchConnection;
import java.util.Optional;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Sends messages to switches that have another controller of the cluster as their master, by way of
 * that controller. Neither a controller without a cluster nor real Floodlight has this service.
 *
 * <p>Thread-safe. Nothing blocks.
 */
public interface IRelayService extends IFloodlightService {
  /**
   * A switch that has another master, as the flow ruleSender sees it. Empty if this controller is
   * not connected to the switch, its master cannot be reached, or it has none.
   */
  Optional<SwitchConnection> find(DatapathId switchId);

  /**
   * The other controller that is master of a switch, by name; empty if this controller is, or none.
   * Messages may not reach it at present.
   */
  Optional<String> otherMaster(DatapathId switchId);

  /** What has been relayed. */
  RelayCounts counts();

  /**
   * What a controller has relayed since its start.
   *
   * @param sent batches that it has sent to masters of other switches
   * @param unsent batches for which there was no stream, or no room in it
   * @param written batches of others that it has written to its switches
   * @param refused batches of others that it has not written: it is not the switch's master, or the
   *     switch does not read
   * @param errors errors of switches that it has sent back to the controllers that caused them
   */
  record RelayCounts(long sent, long unsent, long written, long refused, long errors) {}
}
