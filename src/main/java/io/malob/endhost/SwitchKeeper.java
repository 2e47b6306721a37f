package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.SwitchMessages;
import io.malob.openflow.uplink.GroupRules;
import io.malob.openflow.uplink.InsideEnd;
import io.malob.openflow.uplink.UplinkCookie;
import io.malob.openflow.uplink.UplinkRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the rules on the host's switch that do not belong to one flow. Changes are made by one
 * thread at a time; {@link #refused} and {@link #matchesTcpFlags} are for any.
 */
final class SwitchKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(SwitchKeeper.class);

  private final FlowProgrammer programmer;

  /** Transactions that show whether the switch can match TCP flags. */
  private final Set<Long> triedTcpFlags = ConcurrentHashMap.newKeySet();

  private volatile boolean matchesTcpFlags = true;
  private int epoch;

  /** The shares by which the switch distributes flows; empty if it does not. */
  private List<GroupRules.Share> inForce = List.of();

  /**
   * Keeps nothing yet.
   *
   * @param firstEpoch any number, different from that of an earlier run
   */
  SwitchKeeper(FlowProgrammer programmer, int firstEpoch) {
    this.programmer = programmer;
    this.epoch = Math.floorMod(firstEpoch, UplinkCookie.UPLINKS);
  }

  /** A newly connected switch may support features that an earlier one did not. */
  void switchChanged() {
    matchesTcpFlags = true;
  }

  /** Whether answers to first packets come to the controller. For any thread. */
  boolean matchesTcpFlags() {
    return matchesTcpFlags;
  }

  /** Installs the rules. Unchanged rules stay in place all the time. */
  void prepare(Wiring wiring) {
    if (wiring.inside().isEmpty()) {
      return;
    }
    InsideEnd inside = wiring.inside().get();
    epoch = (epoch + 1) % UplinkCookie.UPLINKS;
    int now = epoch;
    programmer
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
              programmer.send(wiring.switchId(), messages);
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
      programmer.send(wiring.switchId(), factory -> List.of(GroupRules.change(factory, shares)));
    }
  }

  /** The switch may reject these; sent separately, so that the others are not affected. */
  private void addTcpFlags(OFFactory factory, Wiring wiring, InsideEnd inside, int now) {
    List<OFMessage> messages = new ArrayList<>();
    if (matchesTcpFlags) {
      messages.addAll(
          inForce.isEmpty()
              ? UplinkRules.tcpFlags(factory, inside, wiring.byNumber().values(), now)
              : UplinkRules.groupedTcpFlags(factory, inside, wiring.byNumber().values(), now));
    }
    List<OFMessage> tried = List.copyOf(messages);
    tried.forEach(rule -> triedTcpFlags.add(rule.getXid()));
    messages.addAll(UplinkRules.removeOtherEpochs(factory, now));
    programmer.sendInOrder(
        List.of(new SwitchMessages(wiring.switchId(), ImmutableList.copyOf(messages))),
        done -> tried.forEach(rule -> triedTcpFlags.remove(rule.getXid())));
  }

  /** The switch has rejected a message; false if the message was not a probe for TCP flags. */
  boolean refused(long transaction) {
    boolean isTried = triedTcpFlags.remove(transaction);
    if (isTried && matchesTcpFlags) {
      matchesTcpFlags = false;
      LOG.info("tcp_flags_not_matched - flows end by their timeouts");
    }
    return isTried;
  }

  /** Deletes all rules. */
  void clear(Wiring wiring) {
    programmer.send(
        wiring.switchId(),
        factory -> List.of(UplinkRules.removeAll(factory), GroupRules.remove(factory)));
  }
}
