package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import io.malob.capability.FeatureProbes;
import io.malob.capability.SwitchFeature;
import io.malob.openflow.MessageBatch;
import io.malob.openflow.RuleSender;
import io.malob.openflow.uplink.GroupRules;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkCookie;
import io.malob.openflow.uplink.UplinkRules;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules on the host's switch that do not belong to one flow. Changes are made by one thread at
 * a time.
 */
final class FixedRules {
  private static final Logger LOG = LoggerFactory.getLogger(FixedRules.class);

  private final RuleSender ruleSender;

  private final FeatureProbes features;
  private int epoch;

  /** The shares by which the switch distributes flows; empty if it does not. */
  private List<GroupRules.Share> inForce = List.of();

  /**
   * No rules yet.
   *
   * @param firstEpoch any number, different from that of an earlier run
   */
  FixedRules(RuleSender ruleSender, FeatureProbes features, int firstEpoch) {
    this.ruleSender = ruleSender;
    this.features = features;
    this.epoch = Math.floorMod(firstEpoch, UplinkCookie.UPLINKS);
    features.subscribe(
        SwitchFeature.TCP_FLAGS,
        any -> LOG.info("tcp_flags_not_matched - flows end by their timeouts"));
  }

  /** Installs the rules. Unchanged rules stay in place all the time. */
  void prepare(Wiring wiring) {
    if (wiring.inside().isEmpty()) {
      return;
    }
    InsideEnd inside = wiring.inside().get();
    epoch = (epoch + 1) % UplinkCookie.UPLINKS;
    int now = epoch;
    ruleSender
        .factory(wiring.switchId())
        .ifPresent(
            factory -> {
              List<OFMessage> messages =
                  new ArrayList<>(
                      UplinkRules.fixed(factory, inside, wiring.byNumber().values(), now));
              List<GroupRules.Share> shares = Shares.of(wiring);
              // a group from an earlier run may exist
              messages.add(GroupRules.remove(factory));
              if (!shares.isEmpty()) {
                messages.add(GroupRules.add(factory, shares));
                messages.addAll(
                    UplinkRules.grouped(factory, inside, wiring.byNumber().values(), now));
              }
              inForce = shares;
              ruleSender.send(wiring.switchId(), messages);
              addTcpFlags(factory, wiring, inside, now);
            });
  }

  /** Updates the shares of uplinks, if the switch distributes flows. */
  void follow(Wiring wiring) {
    List<GroupRules.Share> shares = Shares.of(wiring);
    if (inForce.isEmpty() != shares.isEmpty()) {
      prepare(wiring);
    } else if (Shares.differ(inForce, shares, wiring)) {
      inForce = shares;
      ruleSender.send(wiring.switchId(), factory -> List.of(GroupRules.change(factory, shares)));
    }
  }

  /** The switch may reject these; sent separately, so that the others are not affected. */
  private void addTcpFlags(OFFactory factory, Wiring wiring, InsideEnd inside, int now) {
    List<OFMessage> messages = new ArrayList<>();
    if (features.has(wiring.switchId(), SwitchFeature.TCP_FLAGS)) {
      messages.addAll(
          inForce.isEmpty()
              ? UplinkRules.tcpFlags(factory, inside, wiring.byNumber().values(), now)
              : UplinkRules.groupedTcpFlags(factory, inside, wiring.byNumber().values(), now));
    }
    Consumer<Boolean> confirmed =
        features.attempt(wiring.switchId(), SwitchFeature.TCP_FLAGS, messages);
    messages.addAll(UplinkRules.removeOtherEpochs(factory, now));
    ruleSender.sendInOrder(
        List.of(new MessageBatch(wiring.switchId(), ImmutableList.copyOf(messages))), confirmed);
  }

  /** Deletes all rules. */
  void clear(Wiring wiring) {
    ruleSender.send(
        wiring.switchId(),
        factory -> List.of(UplinkRules.removeAll(factory), GroupRules.remove(factory)));
  }
}
