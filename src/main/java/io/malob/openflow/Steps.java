package io.malob.openflow;

import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionGotoTable;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** What the instructions of a rule do with a packet. Pure. */
final class Steps {
  private Steps() {}

  /** The actions that are applied at once. */
  static List<OFAction> actions(List<OFInstruction> instructions) {
    for (OFInstruction instruction : instructions) {
      if (instruction instanceof OFInstructionApplyActions apply) {
        return apply.getActions();
      }
    }
    return List.of();
  }

  /** The port of the first output; empty if there is none. */
  static Optional<OFPort> output(List<OFAction> actions) {
    for (OFAction action : actions) {
      if (action instanceof OFActionOutput output) {
        return Optional.of(output.getPort());
      }
    }
    return Optional.empty();
  }

  /** The next table; empty if there is none. */
  static Optional<TableId> next(List<OFInstruction> instructions) {
    for (OFInstruction instruction : instructions) {
      if (instruction instanceof OFInstructionGotoTable next) {
        return Optional.of(next.getTableId());
      }
    }
    return Optional.empty();
  }
}
