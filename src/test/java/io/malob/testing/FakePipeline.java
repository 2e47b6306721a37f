package io.malob.testing;

import io.malob.openflow.tracked.ConntrackAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionGroup;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.action.OFActionPopVlan;
import org.projectfloodlight.openflow.protocol.action.OFActionPushVlan;
import org.projectfloodlight.openflow.protocol.action.OFActionSetField;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionClearActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionGotoTable;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionWriteActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionWriteMetadata;
import org.projectfloodlight.openflow.types.OFMetadata;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** The path of one frame through the tables of a {@link FakeFlowTable}. Used once. */
final class FakePipeline {
  /** MAX_RECIRC_DEPTH of Open vSwitch's dpif-netdev, which then drops the packet. */
  private static final int MAX_RECIRCULATIONS = 6;

  private final FakeFlowTable owner;
  private final Map<Object, OFAction> actionSet = new LinkedHashMap<>();
  private final List<FakeFlowTable.Output> outputs = new ArrayList<>();
  private final int recirculations;
  private FakePacket packet;
  private TableId table = TableId.of(0);
  private U64 cookie = U64.ZERO;

  /** Set by a translation that this packet shares with the one that continues in another table. */
  private boolean isTranslatedBeside;

  FakePipeline(FakeFlowTable owner, OFPort inPort, byte[] frame) {
    this(owner, new FakePacket(inPort, frame), 0);
  }

  private FakePipeline(FakeFlowTable owner, FakePacket packet, int recirculations) {
    this.owner = owner;
    this.packet = packet;
    this.recirculations = recirculations;
  }

  /** Performs what a PACKET_OUT says; gives back what leaves, in order. */
  List<FakeFlowTable.Output> packetOut(List<OFAction> actions) {
    actions.forEach(this::perform);
    return outputs;
  }

  /** Begins in the first table; gives back what leaves, in order. */
  List<FakeFlowTable.Output> run() {
    boolean goOn = true;
    while (goOn) {
      requireUntouched();
      Optional<FakeRule> rule = owner.lookUp(table, packet);
      if (rule.isEmpty()) {
        cookie = U64.ZERO;
        emit(OFPort.CONTROLLER);
        return outputs;
      }
      cookie = rule.get().cookie();
      goOn = follow(rule.get().instructions());
    }
    performActionSet();
    return outputs;
  }

  private boolean follow(List<OFInstruction> instructions) {
    boolean goOn = false;
    for (OFInstruction instruction : instructions) {
      if (instruction instanceof OFInstructionApplyActions apply) {
        apply.getActions().forEach(this::perform);
      } else if (instruction instanceof OFInstructionWriteActions write) {
        write.getActions().forEach(action -> actionSet.put(key(action), action));
      } else if (instruction instanceof OFInstructionClearActions) {
        actionSet.clear();
      } else if (instruction instanceof OFInstructionWriteMetadata write) {
        packet.writeMetadata(write.getMetadata(), write.getMetadataMask());
      } else if (instruction instanceof OFInstructionGotoTable next) {
        if (next.getTableId().compareTo(table) <= 0) {
          throw new IllegalArgumentException("OFPBIC_BAD_TABLE_ID: " + next.getTableId());
        }
        table = next.getTableId();
        goOn = true;
      } else {
        throw new UnsupportedOperationException("instruction " + instruction);
      }
    }
    return goOn;
  }

  private static Object key(OFAction action) {
    if (action instanceof ConntrackAction) {
      throw new UnsupportedOperationException("in an action set: " + action);
    }
    return action instanceof OFActionSetField set
        ? set.getField().getMatchField().id
        : action.getType();
  }

  private void performActionSet() {
    actionSet.values().stream().filter(OFActionSetField.class::isInstance).forEach(this::perform);
    actionSet.values().stream()
        .filter(action -> !(action instanceof OFActionSetField))
        .forEach(this::perform);
  }

  private void perform(OFAction action) {
    if (action instanceof OFActionOutput output) {
      output(output.getPort());
    } else if (action instanceof OFActionSetField set
        && set.getField().getValue() instanceof OFMetadata metadata) {
      packet.writeMetadata(metadata.getValue(), U64.NO_MASK);
    } else if (action instanceof OFActionSetField set) {
      packet.frame().set(set.getField().getMatchField(), set.getField().getValue());
    } else if (action instanceof OFActionGroup group) {
      FakePacket before = packet;
      packet = before.copy();
      owner.chosenBucket(group.getGroup()).forEach(this::perform);
      packet = before;
    } else if (action instanceof OFActionPushVlan) {
      packet.frame().pushVlan();
    } else if (action instanceof OFActionPopVlan) {
      packet.frame().popVlan();
    } else if (action instanceof ConntrackAction conntrack) {
      track(conntrack);
    } else {
      throw new UnsupportedOperationException("action " + action);
    }
  }

  /**
   * What Open vSwitch calls a fork: a copy continues in the table of the action, and what follows
   * the action is for the packet as if it had never been tracked.
   */
  private void track(ConntrackAction action) {
    requireUntouched();
    FakePacket tracked = packet.copy();
    tracked.track(owner.conntrack(), action);
    isTranslatedBeside = !Arrays.equals(tracked.frame().copy(), packet.frame().copy());
    packet.untrack();
    action.table().ifPresent(next -> recirculate(tracked, next));
  }

  private void recirculate(FakePacket tracked, TableId next) {
    if (recirculations == MAX_RECIRCULATIONS) {
      throw new IllegalArgumentException("a packet is tracked too often, at last for " + next);
    }
    if (!actionSet.isEmpty()) {
      throw new UnsupportedOperationException("tracked with an action set");
    }
    FakePipeline fork = new FakePipeline(owner, tracked, recirculations + 1);
    fork.table = next;
    outputs.addAll(fork.run());
  }

  /**
   * In Open vSwitch, a translation also changes the bytes of the packet that does not continue in
   * the table of the action, but not the fields that rules match. No rule should depend on that.
   */
  private void requireUntouched() {
    if (isTranslatedBeside) {
      throw new UnsupportedOperationException("a packet is used behind ct(nat)");
    }
  }

  private void output(OFPort port) {
    if (port.equals(OFPort.TABLE)) {
      requireUntouched();
      outputs.addAll(owner.process(packet.inPort(), packet.frame().copy()));
    } else if (port.equals(OFPort.IN_PORT)) {
      emit(packet.inPort());
    } else if (port.equals(OFPort.CONTROLLER)) {
      emit(port);
    } else if (port.getPortNumber() < 0 && !port.equals(OFPort.LOCAL)) {
      throw new UnsupportedOperationException("output to " + port);
    } else if (!port.equals(packet.inPort())) {
      emit(port); // OpenFlow 1.3.5, section 4.5: only IN_PORT goes back
    }
  }

  private void emit(OFPort port) {
    requireUntouched();
    outputs.add(
        new FakeFlowTable.Output(
            port, packet.frame().copy(), table, cookie, packet.metadata(), packet.tracked()));
  }
}
