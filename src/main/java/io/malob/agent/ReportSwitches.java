package io.malob.agent;

import com.google.common.collect.ImmutableList;
import io.malob.capability.FeatureProbes;
import io.malob.capability.SwitchFeature;
import io.malob.module.SwitchListener;
import io.malob.openflow.MessageBatch;
import io.malob.openflow.ReportRules;
import io.malob.openflow.RuleSender;
import java.util.Collection;
import java.util.List;
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

  private final RuleSender ruleSender;
  private final ImmutableList<IPAddress<?>> addresses;
  private final int port;
  private final int packetsPerSecond;

  private final FeatureProbes features;

  /**
   * Rules for these addresses.
   *
   * @param packetsPerSecond how many packets a switch may send to the controller by them
   */
  ReportSwitches(
      RuleSender ruleSender,
      FeatureProbes features,
      ImmutableList<IPAddress<?>> addresses,
      int port,
      int packetsPerSecond) {
    this.ruleSender = ruleSender;
    this.features = features;
    this.addresses = addresses;
    this.port = port;
    this.packetsPerSecond = packetsPerSecond;
    features.subscribe(SwitchFeature.METERS, this::lacksMeters);
  }

  @Override
  public void switchActivated(DatapathId switchId) {
    ruleSender
        .factory(switchId)
        .ifPresent(
            factory -> {
              if (ReportRules.canMeter(factory)) {
                tryMeter(switchId, factory);
              } else {
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
    ruleSender.sendInOrder(
        List.of(new MessageBatch(switchId, messages)),
        features.attempt(switchId, SwitchFeature.METERS, messages));
  }

  private void lacksMeters(DatapathId switchId) {
    LOG.info("reports_not_metered switch={} - it does not support meters", switchId);
    refresh(List.of(switchId));
  }

  /** Sends the rules again; no effect if they exist. */
  void refresh(Collection<DatapathId> switches) {
    for (DatapathId switchId : switches) {
      boolean hasMeters = features.has(switchId, SwitchFeature.METERS);
      ruleSender.sendIfConnected(
          switchId,
          factory ->
              ReportRules.rules(
                  factory, addresses, port, ReportRules.canMeter(factory) && hasMeters));
    }
  }
}
