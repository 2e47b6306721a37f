package io.malob.openflow;

import com.google.common.collect.Maps;
import io.malob.openflow.label.Label;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupMod;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The groups of switches in the layout {@link TableLayout#ONE_TABLE_WITH_GROUPS}: one indirect
 * group per label, which sends packets out of the port to the next switch. The rule of the label
 * and those of connections refer to it, so another port costs one GROUP_MOD. Thread-safe.
 */
public final class LabelGroups {
  /** The first bits of the ids of our groups; the label's id follows. */
  private static final int BASE = 0x4d00_0000;

  private final Map<DatapathId, Map<Integer, Group>> groups = new ConcurrentHashMap<>();

  /** The groups of switches when they were asked for them, until they answer. */
  private final Map<DatapathId, Map<Integer, Group>> asked = new ConcurrentHashMap<>();

  /** A group, and whether the switch has the rule of its label. */
  private record Group(OFPort port, boolean hasRule) {}

  /** The group of a label. */
  static OFGroup idOf(int label) {
    return OFGroup.of(BASE | label);
  }

  /** The label of a group; empty if the group is none of ours. */
  static OptionalInt labelOf(int group) {
    int label = group & Label.MAX_ID;
    return (group & ~Label.MAX_ID) == BASE && label != 0
        ? OptionalInt.of(label)
        : OptionalInt.empty();
  }

  /** A switch is asked for its groups; {@link #read} takes the answer. */
  public void ask(DatapathId switchId) {
    asked.put(switchId, Map.copyOf(of(switchId)));
  }

  /**
   * The groups that a switch had when it was asked: labels and ports. Others are forgotten, except
   * for those that have been made or changed since; those that have been removed since stay so.
   */
  public void read(DatapathId switchId, Map<Integer, OFPort> found) {
    @Nullable Map<Integer, Group> whenAsked = asked.remove(switchId);
    Map<Integer, Group> before = whenAsked == null ? Map.of() : whenAsked;
    Map<Integer, Group> now = of(switchId);
    Set<Integer> removed = new HashSet<>(before.keySet());
    removed.removeAll(now.keySet());
    before.forEach(now::remove); // only what is unchanged
    found.forEach(
        (label, port) -> {
          if (!removed.contains(label)) {
            now.putIfAbsent(label, new Group(port, false));
          }
        });
  }

  /**
   * The groups of labels in a switch's answer: labels and ports; {@link OFPort#ANY} for a group
   * that has no output.
   */
  public static Map<Integer, OFPort> ports(List<OFGroupDescStatsReply> answer) {
    Map<Integer, OFPort> ports = new HashMap<>();
    for (OFGroupDescStatsReply part : answer) {
      for (OFGroupDescStatsEntry entry : part.getEntries()) {
        labelOf(entry.getGroup().getGroupNumber())
            .ifPresent(label -> ports.put(label, port(entry)));
      }
    }
    return ports;
  }

  private static OFPort port(OFGroupDescStatsEntry entry) {
    for (OFBucket bucket : entry.getBuckets()) {
      Optional<OFPort> port = Steps.output(bucket.getActions());
      if (port.isPresent()) {
        return port.get();
      }
    }
    return OFPort.ANY;
  }

  /** The switch has lost the rule of a label, but maybe not the group. */
  public void ruleLost(DatapathId switchId, int label) {
    of(switchId).computeIfPresent(label, (any, group) -> new Group(group.port, false));
  }

  /**
   * A switch has refused to add the group of a label, because another controller had made it: the
   * message that changes the group instead; none if it has been removed since.
   */
  public List<OFMessage> changeInstead(OFFactory factory, DatapathId switchId, int label) {
    @Nullable OFPort port = port(switchId, label);
    return port == null ? List.of() : List.of(change(factory, label, port));
  }

  /** A switch does not have the group of a label. */
  public void forget(DatapathId switchId, int label) {
    of(switchId).remove(label);
  }

  /** The groups that a switch is known to have: labels and ports. */
  public Map<Integer, OFPort> known(DatapathId switchId) {
    return Map.copyOf(Maps.transformValues(of(switchId), Group::port));
  }

  /**
   * The switch has lost some groups.
   *
   * @param whenAsked those that it was known to have when it was asked
   * @param found the labels of those that it had
   */
  public void forgetMissing(
      DatapathId switchId, Map<Integer, OFPort> whenAsked, Set<Integer> found) {
    whenAsked.forEach(
        (label, port) -> {
          if (!found.contains(label)) {
            of(switchId)
                .computeIfPresent(label, (any, group) -> group.port.equals(port) ? null : group);
          }
        });
  }

  /** The port of a label's group; null if the switch has no such group. */
  public @Nullable OFPort port(DatapathId switchId, int label) {
    @Nullable Group group = of(switchId).get(label);
    return group == null ? null : group.port;
  }

  /**
   * The messages that lead a label out of a port: those for its group, and its rule unless the
   * switch has it.
   */
  List<OFMessage> lead(
      OFFactory factory, DatapathId switchId, int label, OFPort port, OFMessage rule) {
    @Nullable Group before = of(switchId).put(label, new Group(port, true));
    if (before == null) {
      return List.of(add(factory, label, port), rule);
    }
    OFMessage change = change(factory, label, port);
    return before.hasRule ? List.of(change) : List.of(change, rule);
  }

  /** The message that deletes a label's group, and with it all rules that refer to it. */
  public OFMessage remove(OFFactory factory, DatapathId switchId, int label) {
    forget(switchId, label);
    return factory
        .buildGroupDelete()
        .setGroup(idOf(label))
        .setGroupType(OFGroupType.INDIRECT)
        .build();
  }

  /** The messages that delete all groups that a switch is known to have. */
  public List<OFMessage> removeAll(OFFactory factory, DatapathId switchId) {
    return of(switchId).keySet().stream().map(label -> remove(factory, switchId, label)).toList();
  }

  private Map<Integer, Group> of(DatapathId switchId) {
    return groups.computeIfAbsent(switchId, any -> new ConcurrentHashMap<>());
  }

  private static OFMessage add(OFFactory factory, int label, OFPort port) {
    return group(factory, factory.buildGroupAdd(), label, port);
  }

  private static OFMessage change(OFFactory factory, int label, OFPort port) {
    return group(factory, factory.buildGroupModify(), label, port);
  }

  private static OFMessage group(
      OFFactory factory, OFGroupMod.Builder message, int label, OFPort port) {
    OFBucket bucket =
        factory
            .buildBucket()
            .setWatchPort(OFPort.ANY)
            .setWatchGroup(OFGroup.ANY)
            .setActions(List.of(factory.actions().output(port, Integer.MAX_VALUE)))
            .build();
    return message
        .setGroup(idOf(label))
        .setGroupType(OFGroupType.INDIRECT)
        .setBuckets(List.of(bucket))
        .build();
  }
}
