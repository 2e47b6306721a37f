package io.malob.controller.bond;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.malob.openflow.Matches;
import io.malob.openflow.TimedPacketOut;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionGroup;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionWriteActions;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Rules and packets as the controller writes them, and as a switch with bonds gets them: output to
 * the first port of a bond becomes the group, and a rule for packets from the first port becomes
 * one for each port. Pure.
 */
record BondedRules(Map<OFPort, Bond> byPort) {
  /** The messages in the place of one; adds the bonds whose groups they use. */
  List<OFMessage> toSwitch(OFMessage written, Set<Bond> used) {
    OFMessage message = parsed(written);
    if (message instanceof OFFlowMod rule) {
      return rule(rule, used);
    }
    if (message instanceof OFPacketOut packet) {
      List<OFAction> actions = toGroups(packet.getActions(), packet, used);
      return used.isEmpty()
          ? List.of(packet)
          : List.of(packet.createBuilder().setActions(actions).build());
    }
    return List.of(message);
  }

  /** Some messages for switches know only their bytes. Timed ones are for links only. */
  private static OFMessage parsed(OFMessage message) {
    boolean isParsed =
        switch (message.getType()) {
          case FLOW_MOD -> message instanceof OFFlowMod;
          case PACKET_OUT -> message instanceof OFPacketOut || message instanceof TimedPacketOut;
          default -> true;
        };
    if (isParsed) {
      return message;
    }
    ByteBuf bytes = Unpooled.buffer();
    message.writeTo(bytes);
    try {
      return OFFactories.getGenericReader().readFrom(bytes);
    } catch (OFParseError e) {
      throw new IllegalStateException("not readable: " + message.getType(), e);
    }
  }

  private List<OFMessage> rule(OFFlowMod rule, Set<Bond> used) {
    OFFlowMod.Builder changed = rule.createBuilder();
    List<OFInstruction> instructions = new ArrayList<>();
    for (OFInstruction each : rule.getInstructions()) {
      instructions.add(
          withActions(
              each,
              actions -> toGroups(actions, rule, used),
              OFFactories.getFactory(rule.getVersion())));
    }
    @Nullable Bond out = firstOf(rule.getOutPort());
    if (out != null) {
      changed.setOutPort(OFPort.ANY).setOutGroup(out.group());
    }
    @Nullable OFPort in = rule.getMatch().get(MatchField.IN_PORT);
    @Nullable Bond from = in == null ? null : firstOf(in);
    if (used.isEmpty() && out == null && from == null) {
      return List.of(rule);
    }
    if (!used.isEmpty()) {
      changed.setInstructions(instructions);
    }
    ImmutableList.Builder<OFMessage> all = ImmutableList.builder();
    all.add(changed.build());
    if (from != null) {
      // the rule of the first port tells of the end of all
      Set<OFFlowModFlags> quiet =
          ImmutableSet.copyOf(
              Sets.difference(rule.getFlags(), Set.of(OFFlowModFlags.SEND_FLOW_REM)));
      for (OFPort port : from.ports().subList(1, from.ports().size())) {
        all.add(changed.setMatch(from(rule.getMatch(), port)).setFlags(quiet).build());
      }
    }
    return all.build();
  }

  /** The same match with another ingress port. */
  static Match from(Match match, OFPort port) {
    return Matches.builderOf(OFFactories.getFactory(match.getVersion()), match)
        .setExact(MatchField.IN_PORT, port)
        .build();
  }

  private @Nullable Bond firstOf(OFPort port) {
    @Nullable Bond bond = byPort.get(port);
    return bond != null && bond.first().equals(port) ? bond : null;
  }

  private interface Change {
    List<OFAction> of(List<OFAction> actions);
  }

  private static OFInstruction withActions(OFInstruction each, Change change, OFFactory factory) {
    if (each instanceof OFInstructionApplyActions apply) {
      return factory.instructions().applyActions(change.of(apply.getActions()));
    }
    if (each instanceof OFInstructionWriteActions write) {
      return factory.instructions().writeActions(change.of(write.getActions()));
    }
    return each;
  }

  private List<OFAction> toGroups(List<OFAction> actions, OFMessage of, Set<Bond> used) {
    List<OFAction> changed = new ArrayList<>(actions.size());
    for (OFAction action : actions) {
      @Nullable Bond bond = action instanceof OFActionOutput out ? firstOf(out.getPort()) : null;
      if (bond == null) {
        changed.add(action);
      } else {
        used.add(bond);
        changed.add(OFFactories.getFactory(of.getVersion()).actions().group(bond.group()));
      }
    }
    return changed;
  }

  // ---- what switches tell

  /** Whether it is the group of a bond. */
  boolean isGroup(OFGroup group) {
    return bondOf(group) != null;
  }

  private @Nullable Bond bondOf(OFGroup group) {
    return byPort.values().stream()
        .filter(bond -> bond.group().equals(group))
        .findFirst()
        .orElse(null);
  }

  /** The rules of a switch as the controller has written them. */
  OFMessage fromSwitch(OFFlowStatsReply reply) {
    return reply
        .createBuilder()
        .setEntries(
            reply.getEntries().stream().filter(this::isOriginal).map(this::fromSwitch).toList())
        .build();
  }

  private boolean isOriginal(OFFlowStatsEntry rule) {
    @Nullable OFPort in = rule.getMatch().get(MatchField.IN_PORT);
    return in == null || !byPort.containsKey(in) || firstOf(in) != null;
  }

  private OFFlowStatsEntry fromSwitch(OFFlowStatsEntry rule) {
    boolean hasGroup =
        rule.getInstructions().stream()
            .anyMatch(
                each ->
                    each instanceof OFInstructionApplyActions apply
                        ? hasGroup(apply.getActions())
                        : each instanceof OFInstructionWriteActions write
                            && hasGroup(write.getActions()));
    if (!hasGroup) {
      return rule;
    }
    OFFactory factory = OFFactories.getFactory(rule.getVersion());
    return rule.createBuilder()
        .setInstructions(
            rule.getInstructions().stream()
                .map(each -> withActions(each, actions -> toPorts(actions, factory), factory))
                .toList())
        .build();
  }

  private boolean hasGroup(List<OFAction> actions) {
    return actions.stream()
        .anyMatch(each -> each instanceof OFActionGroup group && isGroup(group.getGroup()));
  }

  private List<OFAction> toPorts(List<OFAction> actions, OFFactory factory) {
    List<OFAction> changed = new ArrayList<>(actions.size());
    for (OFAction action : actions) {
      @Nullable Bond bond = action instanceof OFActionGroup group ? bondOf(group.getGroup()) : null;
      changed.add(
          bond == null ? action : factory.actions().output(bond.first(), Integer.MAX_VALUE));
    }
    return changed;
  }
}
