package io.malob.agent;

import com.google.common.collect.ImmutableList;
import io.malob.module.SwitchListener;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.ReportRules;
import io.malob.openflow.SwitchMessages;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs the rules that send reports to the controller, through a meter if the switch supports
 * meters. Thread-safe.
 */
final class ReportSwitches implements SwitchListener {
  private static final Logger LOG = LoggerFactory.getLogger(ReportSwitches.class);

  private final FlowProgrammer programmer;
  private final ImmutableList<IPAddress<?>> addresses;
  private final int port;
  private final int packetsPerSecond;

  /** Switches by the transactions that show whether they support meters. */
  private final Map<Long, DatapathId> tried = new ConcurrentHashMap<>();

  private final Set<DatapathId> withoutMeter = ConcurrentHashMap.newKeySet();

  /**
   * Rules for these addresses.
   *
   * @param packetsPerSecond how many packets a switch may send to the controller by them
   */
  ReportSwitches(
      FlowProgrammer programmer,
      ImmutableList<IPAddress<?>> addresses,
      int port,
      int packetsPerSecond) {
    this.programmer = programmer;
    this.addresses = addresses;
    this.port = port;
    this.packetsPerSecond = packetsPerSecond;
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    programmer
        .factory(switchId)
        .ifPresent(
            factory -> {
              if (ReportRules.canMeter(factory)) {
                withoutMeter.remove(switchId);
                tryMeter(switchId, factory);
              } else {
                withoutMeter.add(switchId);
                refresh(List.of(switchId));
              }
            });
  }

  private void tryMeter(DatapathId switchId, OFFactory factory) {
    ImmutableList<OFMessage> messages =
        ImmutableList.<OFMessage>builder()
            .addAll(ReportRules.meter(factory, packetsPerSecond))
            .addAll(ReportRules.rules(factory, addresses, port, true))
            .build();
    messages.forEach(message -> tried.put(message.getXid(), switchId));
    programmer.sendInOrder(
        List.of(new SwitchMessages(switchId, messages)),
        done -> messages.forEach(message -> tried.remove(message.getXid())));
  }

  /** A switch has rejected a message; false if the message was not a probe for meters. */
  boolean refused(long transaction) {
    @Nullable DatapathId switchId = tried.remove(transaction);
    if (switchId == null) {
      return false;
    }
    if (withoutMeter.add(switchId)) {
      LOG.info("reports_not_metered switch={} - it does not support meters", switchId);
      refresh(List.of(switchId));
    }
    return true;
  }

  /** Sends the rules again; no effect if they exist. */
  void refresh(Collection<DatapathId> switches) {
    for (DatapathId switchId : switches) {
      programmer
          .factory(switchId)
          .ifPresent(
              factory ->
                  programmer.send(
                      switchId,
                      ReportRules.rules(
                          factory, addresses, port, !withoutMeter.contains(switchId))));
    }
  }

  @Override
  public void switchRemoved(DatapathId switchId) {
    withoutMeter.remove(switchId);
  }

  @Override
  public void switchDeactivated(DatapathId switchId) {
    withoutMeter.remove(switchId);
  }
}
