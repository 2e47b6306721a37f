package io.malob.testing;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModFlags;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionGroup;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionWriteActions;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.Masked;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.OFValueType;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** One rule of a {@link FakeFlowTable}; time-outs in seconds, 0 for none. */
public record FakeRule(
    TableId table,
    int priority,
    Match match,
    U64 cookie,
    int idleTimeout,
    int hardTimeout,
    Set<OFFlowModFlags> flags,
    List<OFInstruction> instructions) {

  /** The rule that a message adds. */
  static FakeRule of(OFFlowMod message) {
    return new FakeRule(
        message.getTableId(),
        message.getPriority(),
        message.getMatch(),
        message.getCookie(),
        message.getIdleTimeout(),
        message.getHardTimeout(),
        message.getFlags(),
        message.getInstructions());
  }

  FakeRule withInstructionsOf(OFFlowMod message) {
    return new FakeRule(
        table, priority, match, cookie, idleTimeout, hardTimeout, flags, message.getInstructions());
  }

  /** What the match wants of one field of a frame. */
  record Condition(MatchField<?> field, Predicate<OFValueType<?>> accepts) {
    boolean holds(FakePacket packet) {
      @Nullable OFValueType<?> value = packet.get(field);
      return value != null && accepts.test(value);
    }
  }

  /** What a frame has to fulfil; a match takes long to name its fields. */
  List<Condition> conditions() {
    ImmutableList.Builder<Condition> conditions = ImmutableList.builder();
    for (MatchField<?> field : match.getMatchFields()) {
      conditions.add(new Condition(field, accepts(field)));
    }
    return conditions.build();
  }

  /** Whether a non-strict modification or deletion with this match is about this rule. */
  boolean isWithin(Match filter) {
    for (MatchField<?> field : filter.getMatchFields()) {
      if (!isFieldWithin(filter, field)) {
        return false;
      }
    }
    return true;
  }

  boolean outputsTo(OFPort port) {
    return instructions.stream()
        .flatMap(instruction -> actions(instruction).stream())
        .anyMatch(action -> action instanceof OFActionOutput out && out.getPort().equals(port));
  }

  /** The groups that the rule names. */
  List<OFGroup> groups() {
    return instructions.stream()
        .flatMap(instruction -> actions(instruction).stream())
        .filter(OFActionGroup.class::isInstance)
        .map(action -> ((OFActionGroup) action).getGroup())
        .toList();
  }

  static List<OFAction> actions(OFInstruction instruction) {
    if (instruction instanceof OFInstructionApplyActions apply) {
      return apply.getActions();
    }
    return instruction instanceof OFInstructionWriteActions write ? write.getActions() : List.of();
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the value has the type of its field
  private Predicate<OFValueType<?>> accepts(MatchField field) {
    if (match.isExact(field)) {
      return match.get(field)::equals;
    }
    Masked masked = match.getMasked(field);
    return value -> masked.matches((OFValueType) value);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // both matches have the types of the field
  private boolean isFieldWithin(Match filter, MatchField field) {
    if (match.isFullyWildcarded(field)) {
      return false;
    }
    @Nullable OFValueType ownMask = match.isExact(field) ? null : match.getMasked(field).getMask();
    OFValueType own = ownMask == null ? match.get(field) : match.getMasked(field).getValue();
    if (filter.isExact(field)) {
      return ownMask == null && filter.get(field).equals(own);
    }
    Masked wanted = filter.getMasked(field);
    boolean maskCovers =
        ownMask == null || ownMask.applyMask(wanted.getMask()).equals(wanted.getMask());
    return maskCovers && wanted.matches(own);
  }
}
