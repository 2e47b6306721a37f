package io.malob.controller.bond;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.EdgeMac;
import io.malob.openflow.PacketOuts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortReason;
import org.projectfloodlight.openflow.protocol.OFPortState;
import org.projectfloodlight.openflow.protocol.OFPortStatus;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * One connection to a switch with bonds. To the controller, the first port of a bond is up as long
 * as any of its ports is, all packets of the host come in there, and the other ports are down. For
 * one thread.
 */
public final class BondedPorts {
  private final OFFactory factory;
  private final LongSupplier nanoTime;
  private final BondGroups groups;
  private final BondedRules rules;
  private final Map<OFPort, Bond> byPort = new HashMap<>();
  private final Map<Bond, LacpPartner> partners = new HashMap<>();

  /** The latest description of each port of a bond. */
  private final Map<OFPort, OFPortDesc> described = new HashMap<>();

  private final Set<OFPort> up = new HashSet<>();

  /**
   * What follows from a message of the switch.
   *
   * @param toController in its place
   * @param toSwitch as an answer
   */
  public record Result(List<OFMessage> toController, List<OFMessage> toSwitch) {
    private static Result of(OFMessage message) {
      return new Result(List.of(message), List.of());
    }
  }

  /** With the bonds of one switch. */
  public BondedPorts(ImmutableList<Bond> bonds, OFFactory factory, LongSupplier nanoTime) {
    this.factory = factory;
    this.nanoTime = nanoTime;
    groups = new BondGroups(factory);
    for (Bond bond : bonds) {
      bond.ports().forEach(port -> byPort.put(port, bond));
      if (bond.isLacp()) {
        partners.put(bond, new LacpPartner(EdgeMac.of(bond.switchId()), bond));
      }
    }
    rules = new BondedRules(byPort);
  }

  /** The messages to send in the place of one. */
  public List<OFMessage> toSwitch(OFMessage message) {
    Set<Bond> used = new HashSet<>();
    List<OFMessage> changed = rules.toSwitch(message, used);
    if (used.isEmpty()) {
      return changed;
    }
    List<OFMessage> all = new ArrayList<>();
    used.forEach(bond -> all.addAll(groups.install(bond, outputs(bond))));
    all.addAll(changed);
    return all;
  }

  /** The ports that frames to a host may leave by. */
  private List<OFPort> outputs(Bond bond) {
    List<OFPort> live = bond.ports().stream().filter(up::contains).toList();
    @Nullable LacpPartner partner = partners.get(bond);
    List<OFPort> receiving = partner == null ? live : partner.receiving(live);
    return receiving.isEmpty() ? bond.ports() : receiving;
  }

  /** Takes a message of the switch. */
  public Result fromSwitch(OFMessage message) {
    if (message instanceof OFPacketIn packetIn) {
      return packetIn(packetIn);
    }
    if (message instanceof OFPortStatus status) {
      return portStatus(status);
    }
    if (message instanceof OFPortDescStatsReply reply) {
      return Result.of(descriptions(reply));
    }
    if (message instanceof OFFlowStatsReply reply) {
      return Result.of(rules.fromSwitch(reply));
    }
    if (message instanceof OFGroupDescStatsReply reply) {
      return Result.of(
          reply
              .createBuilder()
              .setEntries(
                  reply.getEntries().stream()
                      .filter(each -> !rules.isGroup(each.getGroup()))
                      .toList())
              .build());
    }
    if (message instanceof OFErrorMsg error) {
      List<OFMessage> again = new ArrayList<>();
      if (groups.takes(error, again)) {
        return new Result(List.of(), again);
      }
    }
    return Result.of(message);
  }

  private Result packetIn(OFPacketIn packetIn) {
    OFPort port = packetIn.getMatch().get(MatchField.IN_PORT);
    @Nullable Bond bond = byPort.get(port);
    if (bond == null) {
      return Result.of(packetIn);
    }
    if (LacpMessage.isSlowProtocol(packetIn.getData())) {
      return new Result(List.of(), lacp(bond, port, packetIn.getData()));
    }
    if (port.equals(bond.first())) {
      return Result.of(packetIn);
    }
    return Result.of(
        packetIn
            .createBuilder()
            .setMatch(BondedRules.from(packetIn.getMatch(), bond.first()))
            .build());
  }

  private List<OFMessage> lacp(Bond bond, OFPort port, byte[] frame) {
    @Nullable LacpPartner partner = partners.get(bond);
    Optional<LacpMessage> message = LacpMessage.read(frame);
    if (partner == null || message.isEmpty()) {
      return List.of();
    }
    LacpMessage answer = partner.answer(port, message.get(), nanoTime.getAsLong());
    List<OFMessage> sent = new ArrayList<>(groups.update(bond, outputs(bond)));
    sent.add(
        PacketOuts.of(
            factory,
            answer.frame(EdgeMac.of(bond.switchId())),
            List.of(factory.actions().output(port, Integer.MAX_VALUE))));
    return sent;
  }

  // ---- ports

  private void describe(OFPortDesc port) {
    described.put(port.getPortNo(), port);
    if (port.isEnabled()) {
      up.add(port.getPortNo());
    } else {
      remove(port.getPortNo());
    }
  }

  private void remove(OFPort port) {
    up.remove(port);
    @Nullable LacpPartner partner = partners.get(byPort.get(port));
    if (partner != null) {
      partner.down(port);
    }
  }

  private boolean isUp(Bond bond) {
    return bond.ports().stream().anyMatch(up::contains);
  }

  /** A port as the controller sees it. */
  private OFPortDesc shown(OFPortDesc port) {
    @Nullable Bond bond = byPort.get(port.getPortNo());
    if (bond == null) {
      return port;
    }
    boolean isShownUp = port.getPortNo().equals(bond.first()) && isUp(bond);
    if (port.isEnabled() == isShownUp) {
      return port;
    }
    if (!isShownUp) {
      return port.createBuilder().setState(Set.of(OFPortState.LINK_DOWN)).build();
    }
    return port.createBuilder().setState(Set.of()).setConfig(Set.of()).build();
  }

  private OFMessage descriptions(OFPortDescStatsReply reply) {
    Map<OFPort, OFPortDesc> shown = new HashMap<>();
    for (OFPortDesc each : reply.getEntries()) {
      if (byPort.containsKey(each.getPortNo())) {
        describe(each);
      }
    }
    for (OFPortDesc each : reply.getEntries()) {
      shown.put(each.getPortNo(), shown(each));
      // the first port may have come in an earlier part of the answer
      @Nullable Bond bond = byPort.get(each.getPortNo());
      @Nullable OFPortDesc first = bond == null ? null : described.get(bond.first());
      if (first != null) {
        shown.put(first.getPortNo(), shown(first));
      }
    }
    return reply.createBuilder().setEntries(List.copyOf(shown.values())).build();
  }

  private Result portStatus(OFPortStatus status) {
    OFPort port = status.getDesc().getPortNo();
    @Nullable Bond bond = byPort.get(port);
    if (bond == null) {
      return Result.of(status);
    }
    boolean wasUp = isUp(bond);
    describe(status.getDesc());
    boolean isDeleted = status.getReason() == OFPortReason.DELETE;
    if (isDeleted) {
      remove(port);
    }
    List<OFMessage> toController = new ArrayList<>();
    boolean isFirst = port.equals(bond.first());
    OFPortReason reason =
        isDeleted && isFirst && isUp(bond) ? OFPortReason.MODIFY : status.getReason();
    toController.add(
        status.createBuilder().setReason(reason).setDesc(shown(status.getDesc())).build());
    @Nullable OFPortDesc first = described.get(bond.first());
    if (!isFirst && first != null && wasUp != isUp(bond)) {
      toController.add(
          status.createBuilder().setReason(OFPortReason.MODIFY).setDesc(shown(first)).build());
    }
    return new Result(toController, groups.update(bond, outputs(bond)));
  }
}
