package io.malob.capability;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.IpFamily;
import io.malob.openflow.MaskedCookie;
import io.malob.openflow.RuleKey;
import io.malob.openflow.label.Label;
import java.util.List;
import java.util.OptionalInt;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.oxm.OFOxm;
import org.projectfloodlight.openflow.protocol.oxm.OFOxms;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.IpProtocol;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.TransportPort;
import org.projectfloodlight.openflow.types.U64;

/**
 * The messages that probe a switch: rules of the kinds that the layouts need, each for one feature,
 * and their removal. No packet matches the rules: they are for packets from the highest address,
 * which is no host's, or for MAC addresses of groups that do not exist. They have a cookie of their
 * own, which no other module takes for its own. The switch removes them by itself if the controller
 * does not.
 *
 * @param messages in order; behind the first barrier, all is removed
 * @param probes by transaction id
 */
record ProbeMessages(ImmutableList<OFMessage> messages, ImmutableMap<Long, Probe> probes) {
  /** Of all rules of probes. */
  static final U64 COOKIE = Cookie.of(CookieKind.SWITCH_PROBE, 0);

  /** Above the groups of labels, which have their ids. */
  static final OFGroup GROUP = OFGroup.of(Label.MAX_ID + 1);

  private static final int HARD_TIMEOUT_SECONDS = 2;

  /** Below all rules of others. */
  private static final int PRIORITY = 1;

  /** The prefix of labels as that of groups, to which no host sends. */
  private static final MacAddress NO_GROUP =
      MacAddress.of(Label.PREFIX.getLong() | 0x01_00_00_00_00_00L);

  private static final TransportPort PORT = TransportPort.of(1);

  /**
   * What a message probes.
   *
   * @param table the table that the message needs; empty if it is not a rule
   */
  record Probe(SwitchFeature feature, OptionalInt table) {}

  /** Whether the controller uses groups: it has no messages for those of OpenFlow 1.5. */
  static boolean hasGroups(OFFactory factory) {
    return factory.getVersion().compareTo(OFVersion.OF_15) < 0;
  }

  /**
   * The probes of a switch.
   *
   * @param tables how many tables it claims to have
   * @param port a port of the switch
   */
  static ProbeMessages of(OFFactory factory, int tables, OFPort port) {
    return new Builder(factory, port).build(tables);
  }

  private static final class Builder {
    private final OFFactory factory;
    private final OFAction output;
    private int lastPort;
    private final ImmutableList.Builder<OFMessage> messages = ImmutableList.builder();
    private final ImmutableMap.Builder<Long, Probe> probes = ImmutableMap.builder();

    Builder(OFFactory factory, OFPort port) {
      this.factory = factory;
      output = factory.actions().output(port, 0);
    }

    ProbeMessages build(int tables) {
      boolean hasGroups = hasGroups(factory);
      if (hasGroups) {
        // of a probe before, which a controller did not end
        messages.add(removeGroup());
      }
      maskProbe();
      translationProbes(SwitchFeature.IPV4_TRANSLATION, IpFamily.IPV4);
      translationProbes(SwitchFeature.IPV6_TRANSLATION, IpFamily.IPV6);
      if (hasGroups) {
        groupProbes();
      }
      if (tables > 3) {
        tableProbes();
      }
      messages.add(factory.barrierRequest());
      messages.add(new MaskedCookie(COOKIE, U64.NO_MASK).delete(factory));
      if (hasGroups) {
        messages.add(removeGroup());
      }
      return new ProbeMessages(messages.build(), probes.build());
    }

    private void maskProbe() {
      Match match =
          factory
              .buildMatch()
              .setMasked(MatchField.ETH_DST, NO_GROUP, Label.PREFIX_MASK)
              .setMasked(MatchField.ETH_SRC, Label.PREFIX, Label.PREFIX_MASK)
              .build();
      rule(SwitchFeature.MAC_MASKS, 0, match, apply(List.of(output)));
    }

    private void translationProbes(SwitchFeature feature, IpFamily family) {
      for (IpProtocol protocol : List.of(IpProtocol.TCP, IpProtocol.UDP)) {
        for (boolean isRequest : List.of(true, false)) {
          rule(
              feature,
              0,
              packets(family, protocol),
              apply(translation(family, protocol, isRequest, output)));
        }
      }
    }

    private void groupProbes() {
      OFMessage group =
          factory
              .buildGroupAdd()
              .setGroupType(OFGroupType.INDIRECT)
              .setGroup(GROUP)
              .setBuckets(
                  List.of(
                      factory
                          .buildBucket()
                          .setWatchPort(OFPort.ANY)
                          .setWatchGroup(OFGroup.ANY)
                          .setActions(List.of(output))
                          .build()))
              .build();
      add(new Probe(SwitchFeature.GROUPS, OptionalInt.empty()), group);
      rule(
          SwitchFeature.GROUPS,
          0,
          packets(IpFamily.IPV4, IpProtocol.TCP),
          apply(translation(IpFamily.IPV4, IpProtocol.TCP, true, factory.actions().group(GROUP))));
    }

    /** The steps from table to table, and what is done in each of them. */
    private void tableProbes() {
      Match group = factory.buildMatch().setExact(MatchField.ETH_DST, NO_GROUP).build();
      Match packets = packets(IpFamily.IPV4, IpProtocol.TCP);
      rule(SwitchFeature.TABLE_1, 0, packets, goTo(1));
      rule(
          SwitchFeature.TABLE_1,
          1,
          packets,
          apply(
              List.of(
                  factory
                      .actions()
                      .setField(IpFamily.newDestination(factory, IpFamily.IPV4.highest())))),
          goTo(2));
      rule(SwitchFeature.TABLE_2, 0, group, goTo(2));
      rule(SwitchFeature.TABLE_2, 2, group, apply(List.of(output)));
      rule(SwitchFeature.TABLE_3, 2, packets, goTo(3));
      rule(SwitchFeature.TABLE_3, 3, group, apply(List.of(output)));
    }

    /** Packets from and to the highest address, with ports that no other probe has. */
    private Match packets(IpFamily family, IpProtocol protocol) {
      IPAddress<?> none = family.highest();
      lastPort++;
      return IpFamily.withPorts(
              IpFamily.matchBetween(factory, protocol, none, none), protocol, lastPort, lastPort)
          .build();
    }

    private List<OFAction> translation(
        IpFamily family, IpProtocol protocol, boolean isRequest, OFAction last) {
      OFOxms oxms = factory.oxms();
      boolean isTcp = protocol.equals(IpProtocol.TCP);
      OFOxm<?> address =
          isRequest
              ? IpFamily.newDestination(factory, family.highest())
              : IpFamily.newSource(factory, family.highest());
      OFOxm<?> port =
          isRequest
              ? (isTcp ? oxms.tcpDst(PORT) : oxms.udpDst(PORT))
              : (isTcp ? oxms.tcpSrc(PORT) : oxms.udpSrc(PORT));
      return List.of(
          factory.actions().setField(oxms.ethSrc(Label.PREFIX)),
          factory.actions().setField(oxms.ethDst(Label.PREFIX)),
          factory.actions().setField(address),
          factory.actions().setField(port),
          last);
    }

    private OFInstruction apply(List<OFAction> actions) {
      return factory.instructions().applyActions(actions);
    }

    private OFInstruction goTo(int table) {
      return factory.instructions().gotoTable(TableId.of(table));
    }

    private void rule(
        SwitchFeature feature, int table, Match match, OFInstruction... instructions) {
      add(
          new Probe(feature, OptionalInt.of(table)),
          new RuleKey(TableId.of(table), PRIORITY, match)
              .add(factory, COOKIE, instructions)
              .setHardTimeout(HARD_TIMEOUT_SECONDS)
              .build());
    }

    private void add(Probe probe, OFMessage message) {
      messages.add(message);
      probes.put(message.getXid(), probe);
    }

    private OFMessage removeGroup() {
      return factory.buildGroupDelete().setGroupType(OFGroupType.INDIRECT).setGroup(GROUP).build();
    }
  }
}
