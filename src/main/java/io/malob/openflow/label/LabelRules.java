package io.malob.openflow.label;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import com.google.common.collect.Lists;
import io.malob.algorithm.graph.Path;
import io.malob.openflow.Cookie;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.SwitchMessages;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The rules of a label along its path: one on each switch, table {@link FlowLayout#LABELS}. Pure.
 */
final class LabelRules {
  private LabelRules() {}

  /** Installs the rules, the last switch first. */
  static List<SwitchMessages> install(
      Label label, Path path, Function<DatapathId, Optional<OFFactory>> factories) {
    ImmutableList.Builder<SwitchMessages> batches = ImmutableList.builder();
    for (DatapathId switchId : Lists.reverse(path.switches())) {
      factories
          .apply(switchId)
          .map(factory -> batch(switchId, add(factory, label, path, switchId)))
          .ifPresent(batches::add);
    }
    return batches.build();
  }

  /** Deletes the rules, the first switch first, and those that may be off the path. */
  static List<SwitchMessages> remove(
      Label label,
      Path path,
      Collection<DatapathId> strays,
      Function<DatapathId, Optional<OFFactory>> factories) {
    ImmutableList.Builder<SwitchMessages> batches = ImmutableList.builder();
    for (DatapathId switchId : Iterables.concat(path.switches(), strays)) {
      factories
          .apply(switchId)
          .map(factory -> batch(switchId, delete(factory, label)))
          .ifPresent(batches::add);
    }
    return batches.build();
  }

  /**
   * Reroutes the label: first adds rules on new switches, then changes the switch where the paths
   * part, and only then deletes the rules of switches that it no longer crosses.
   *
   * @param before the path whose rules are installed; empty if unknown
   * @param strays switches off the new path that may have a rule
   */
  static List<SwitchMessages> reroute(
      Label label,
      Optional<Path> before,
      Path after,
      Collection<DatapathId> strays,
      Function<DatapathId, Optional<OFFactory>> factories) {
    ImmutableList.Builder<SwitchMessages> batches = ImmutableList.builder();
    for (DatapathId switchId : Lists.reverse(after.switches())) {
      boolean asBefore =
          before.isPresent()
              && before.get().switches().contains(switchId)
              && before.get().outOf(switchId).equals(after.outOf(switchId));
      if (!asBefore) {
        factories
            .apply(switchId)
            .map(factory -> batch(switchId, add(factory, label, after, switchId)))
            .ifPresent(batches::add);
      }
    }
    for (DatapathId switchId : strays) {
      factories
          .apply(switchId)
          .map(factory -> batch(switchId, delete(factory, label)))
          .ifPresent(batches::add);
    }
    return batches.build();
  }

  /** The rule of one switch on the path. */
  static OFMessage add(OFFactory factory, Label label, Path path, DatapathId switchId) {
    return factory
        .buildFlowAdd()
        .setTableId(FlowLayout.LABELS)
        .setPriority(FlowLayout.PRIORITY_ENTRY)
        .setCookie(Cookie.of(Cookie.Kind.LABEL, label.id()))
        .setMatch(match(factory, label))
        .setInstructions(List.of(next(factory, path, switchId)))
        .build();
  }

  private static OFInstruction next(OFFactory factory, Path path, DatapathId switchId) {
    return path.outOf(switchId)
        .<OFInstruction>map(
            port ->
                factory
                    .instructions()
                    .applyActions(List.of(factory.actions().output(port, Integer.MAX_VALUE))))
        .orElseGet(() -> factory.instructions().gotoTable(FlowLayout.HOSTS));
  }

  /** Deletes the rule of one switch. */
  static OFMessage delete(OFFactory factory, Label label) {
    return factory
        .buildFlowDeleteStrict()
        .setTableId(FlowLayout.LABELS)
        .setPriority(FlowLayout.PRIORITY_ENTRY)
        .setMatch(match(factory, label))
        .build();
  }

  private static Match match(OFFactory factory, Label label) {
    return factory.buildMatch().setExact(MatchField.ETH_DST, label.mac()).build();
  }

  private static SwitchMessages batch(DatapathId switchId, OFMessage message) {
    return new SwitchMessages(switchId, ImmutableList.of(message));
  }
}
