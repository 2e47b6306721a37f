package io.malob.testing;

import com.google.common.collect.ImmutableSet;
import io.malob.openflow.TableLayout;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.Nat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBadActionCode;
import org.projectfloodlight.openflow.protocol.OFBadInstructionCode;
import org.projectfloodlight.openflow.protocol.OFBadMatchCode;
import org.projectfloodlight.openflow.protocol.OFBadRequestCode;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFFlowDelete;
import org.projectfloodlight.openflow.protocol.OFFlowDeleteStrict;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupMod;
import org.projectfloodlight.openflow.protocol.OFGroupModCommand;
import org.projectfloodlight.openflow.protocol.OFGroupModFailedCode;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionGroup;
import org.projectfloodlight.openflow.protocol.action.OFActionSetField;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionGotoTable;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.protocol.match.MatchFields;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.TableId;

/**
 * What a {@link FakeFlowTable} can do. It refuses the rest with the errors of OpenFlow 1.3.5,
 * sections 6.4 to 6.6.
 */
public enum SwitchProfile {
  /** Open vSwitch, which end hosts have. */
  OPEN_VSWITCH(
      TableLayout.FOUR_TABLES,
      254,
      true,
      true,
      ImmutableSet.of(OFGroupType.SELECT, OFGroupType.INDIRECT)),

  /** What the balancer needs for its first layout. */
  FOUR_TABLES(TableLayout.FOUR_TABLES, 4, true, true, ImmutableSet.of(OFGroupType.INDIRECT)),

  /** One table, and groups only of type indirect. */
  ONE_TABLE_WITH_GROUPS(
      TableLayout.ONE_TABLE_WITH_GROUPS, 1, true, true, ImmutableSet.of(OFGroupType.INDIRECT)),

  /** One table, and no groups. */
  ONE_TABLE(TableLayout.ONE_TABLE, 1, true, true, ImmutableSet.of()),

  /** One table that matches only whole MAC addresses. */
  NO_MASKS(TableLayout.LABELS_ONLY, 1, false, true, ImmutableSet.of()),

  /** One table without the action set-field. */
  NO_REWRITING(TableLayout.LABELS_ONLY, 1, true, false, ImmutableSet.of());

  private final TableLayout layout;
  private final int tables;
  private final boolean masksMacs;
  private final boolean setsFields;
  private final ImmutableSet<OFGroupType> groups;

  /** Fields that only a switch with connection tracking knows. */
  private static final ImmutableSet<MatchFields> TRACKED_FIELDS =
      ImmutableSet.of(
          MatchFields.CONN_TRACKING_STATE,
          MatchFields.CONN_TRACKING_ZONE,
          MatchFields.CONN_TRACKING_MARK,
          MatchFields.CONN_TRACKING_NW_PROTO,
          MatchFields.CONN_TRACKING_TP_DST);

  SwitchProfile(
      TableLayout layout,
      int tables,
      boolean masksMacs,
      boolean setsFields,
      ImmutableSet<OFGroupType> groups) {
    this.layout = layout;
    this.tables = tables;
    this.masksMacs = masksMacs;
    this.setsFields = setsFields;
    this.groups = groups;
  }

  /** How the balancer's rules fit into such a switch. */
  public TableLayout layout() {
    return layout;
  }

  /** Whether the switch knows groups at all. */
  public boolean hasGroups() {
    return !groups.isEmpty();
  }

  /** Whether the switch tracks connections; Open vSwitch alone does. */
  public boolean tracks() {
    return this == OPEN_VSWITCH;
  }

  /** Throws {@link RefusedMessageException} if the switch lacks something that a message needs. */
  void check(OFMessage message) {
    if (message instanceof OFFlowMod flowMod) {
      checkTable(flowMod);
      checkMatch(flowMod, flowMod.getMatch());
      if (!(flowMod instanceof OFFlowDelete || flowMod instanceof OFFlowDeleteStrict)) {
        checkInstructions(flowMod, flowMod.getInstructions());
        checkTracks(flowMod);
      }
    } else if (message instanceof OFGroupMod groupMod) {
      checkGroup(groupMod);
    } else if (message instanceof OFPacketOut packetOut) {
      checkActions(packetOut, packetOut.getActions());
    }
  }

  /** Whether a switch can hold a rule. */
  boolean fits(FakeRule rule) {
    boolean leadsOn =
        rule.instructions().stream()
            .anyMatch(
                each -> each instanceof OFInstructionGotoTable next && lacks(next.getTableId()));
    return !lacks(rule.table()) && !leadsOn && (hasGroups() || rule.groups().isEmpty());
  }

  private void checkTable(OFFlowMod message) {
    TableId table = message.getTableId();
    boolean all =
        table.equals(TableId.ALL)
            && (message instanceof OFFlowDelete || message instanceof OFFlowDeleteStrict);
    if (!all && lacks(table)) {
      throw new RefusedMessageException(
          SwitchErrors.flowModFailed(message, OFFlowModFailedCode.BAD_TABLE_ID));
    }
  }

  private boolean lacks(TableId table) {
    return table.getValue() >= tables;
  }

  private void checkMatch(OFMessage message, Match match) {
    if (!masksMacs
        && (match.isPartiallyMasked(MatchField.ETH_DST)
            || match.isPartiallyMasked(MatchField.ETH_SRC))) {
      throw new RefusedMessageException(
          SwitchErrors.badMatch(message, OFBadMatchCode.BAD_DL_ADDR_MASK));
    }
    for (MatchField<?> field : match.getMatchFields()) {
      if (!tracks() && TRACKED_FIELDS.contains(field.id)) {
        throw new RefusedMessageException(SwitchErrors.badMatch(message, OFBadMatchCode.BAD_FIELD));
      }
    }
  }

  private void checkInstructions(OFMessage message, List<OFInstruction> instructions) {
    for (OFInstruction instruction : instructions) {
      if (instruction instanceof OFInstructionGotoTable next && lacks(next.getTableId())) {
        throw new RefusedMessageException(
            SwitchErrors.badInstruction(message, OFBadInstructionCode.BAD_TABLE_ID));
      }
      checkActions(message, FakeRule.actions(instruction));
    }
  }

  /** Open vSwitch tracks only what a rule's match says to be IP, of the version of its NAT. */
  private static void checkTracks(OFFlowMod message) {
    @Nullable EthType type = message.getMatch().get(MatchField.ETH_TYPE);
    boolean isIp = EthType.IPv4.equals(type) || EthType.IPv6.equals(type);
    for (OFInstruction instruction : message.getInstructions()) {
      for (OFAction action : FakeRule.actions(instruction)) {
        if (action instanceof ConntrackAction conntrack
            && !(isIp && translatesOnly(type, conntrack))) {
          throw new RefusedMessageException(
              SwitchErrors.badAction(message, OFBadActionCode.MATCH_INCONSISTENT));
        }
      }
    }
  }

  private static boolean translatesOnly(@Nullable EthType type, ConntrackAction conntrack) {
    return conntrack
        .nat()
        .flatMap(Nat::range)
        .map(range -> range.first().getIpVersion() == IPVersion.IPv4)
        .map(isIpv4 -> isIpv4 == EthType.IPv4.equals(type))
        .orElse(true);
  }

  private void checkGroup(OFGroupMod message) {
    if (!hasGroups()) {
      throw new RefusedMessageException(
          SwitchErrors.badRequest(message, OFBadRequestCode.BAD_TYPE));
    }
    if (message.getCommand() == OFGroupModCommand.DELETE) {
      return;
    }
    if (!groups.contains(message.getGroupType())) {
      throw new RefusedMessageException(
          SwitchErrors.groupModFailed(message, OFGroupModFailedCode.BAD_TYPE));
    }
    for (OFBucket bucket : message.getBuckets()) {
      if (bucket.getActions().stream().anyMatch(OFActionGroup.class::isInstance)) {
        throw new RefusedMessageException(
            SwitchErrors.groupModFailed(message, OFGroupModFailedCode.CHAINING_UNSUPPORTED));
      }
      checkActions(message, bucket.getActions());
    }
  }

  private void checkActions(OFMessage message, List<OFAction> actions) {
    for (OFAction action : actions) {
      if (action instanceof OFActionSetField && !setsFields) {
        throw new RefusedMessageException(
            SwitchErrors.badAction(message, OFBadActionCode.BAD_SET_TYPE));
      }
      if (action instanceof OFActionGroup && !hasGroups()) {
        throw new RefusedMessageException(
            SwitchErrors.badAction(message, OFBadActionCode.BAD_TYPE));
      }
      if (action instanceof ConntrackAction && !tracks()) {
        throw new RefusedMessageException(
            SwitchErrors.badAction(message, OFBadActionCode.BAD_EXPERIMENTER));
      }
    }
  }
}
