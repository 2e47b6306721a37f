package io.malob.openflow.label;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.Path;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.MessageBatch;
import io.malob.openflow.RuleKey;
import io.malob.openflow.RuleSender;
import io.malob.openflow.SwitchRules;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * The rules of labels along their paths: one on each switch, table {@link FlowLayout#LABELS}.
 *
 * @param sender sends them
 */
record LabelRules(RuleSender sender) {
  /**
   * Installs the rules of a label, the last switch first.
   *
   * @param done is told whether all switches are there and have confirmed
   */
  void install(LabelledPath labelled, Consumer<Boolean> done) {
    List<MessageBatch> batches =
        reroute(labelled.label(), Optional.empty(), labelled.path(), List.of(), sender::factory);
    if (batches.size() == labelled.path().hops() + 1) {
      sender.sendInOrder(batches, done);
    } else {
      done.accept(false);
    }
  }

  /**
   * Changes the rules of a label to those of its path.
   *
   * @param before the path whose rules are installed; empty if unknown
   * @param done is told whether all switches have confirmed
   */
  void reroute(LabelledPath labelled, Optional<Path> before, Consumer<Boolean> done) {
    sender.sendInOrder(
        reroute(labelled.label(), before, labelled.path(), labelled.strays(), sender::factory),
        done);
  }

  /** Deletes the rules of a label, the first switch first, and those that may be off the path. */
  void remove(LabelledPath labelled) {
    removeInOrder(
        batches(
                Stream.concat(labelled.path().switches().stream(), labelled.strays().stream()),
                sender::factory,
                (factory, switchId) -> delete(factory, labelled.label()))
            .toList());
  }

  /**
   * Continues after the failure of a switch. Otherwise the other switches would keep unknown rules.
   */
  private void removeInOrder(List<MessageBatch> batches) {
    if (!batches.isEmpty()) {
      sender.sendInOrder(
          batches.subList(0, 1), done -> removeInOrder(batches.subList(1, batches.size())));
    }
  }

  /** Sends a switch its rule of a label again. */
  void restore(LabelledPath labelled, DatapathId switchId) {
    of(switchId, List.of(labelled)).forEach(rule -> sender.send(switchId, List.of(rule)));
  }

  /** Deletes the rules of a label from connected switches. */
  void discard(Label label, Collection<DatapathId> switches) {
    for (DatapathId switchId : switches) {
      sender
          .factory(switchId)
          .ifPresent(factory -> sender.send(switchId, List.of(delete(factory, label))));
    }
  }

  /** The rules of labels that a switch needs; none if it is not connected. */
  List<OFMessage> of(DatapathId switchId, Collection<LabelledPath> all) {
    return sender.factory(switchId).stream()
        .flatMap(
            factory ->
                all.stream()
                    .filter(labelled -> labelled.needsRuleOn(switchId))
                    .map(labelled -> add(factory, labelled.label(), labelled.path(), switchId)))
        .toList();
  }

  /**
   * Reroutes the label: first adds rules on new switches, the last one first, then changes the
   * switch where the paths part, and only then deletes the rules of switches that it no longer
   * crosses.
   *
   * @param before the path whose rules are installed; empty if there are none, or unknown ones
   * @param strays switches off the new path that may have a rule
   */
  static List<MessageBatch> reroute(
      Label label,
      Optional<Path> before,
      Path after,
      Collection<DatapathId> strays,
      Function<DatapathId, Optional<OFFactory>> factories) {
    Stream<DatapathId> changed =
        after.switches().reverse().stream()
            .filter(
                switchId ->
                    before
                        .filter(path -> path.switches().contains(switchId))
                        .filter(path -> path.outOf(switchId).equals(after.outOf(switchId)))
                        .isEmpty());
    return Stream.concat(
            batches(
                changed, factories, (factory, switchId) -> add(factory, label, after, switchId)),
            batches(strays.stream(), factories, (factory, switchId) -> delete(factory, label)))
        .toList();
  }

  private static Stream<MessageBatch> batches(
      Stream<DatapathId> switches,
      Function<DatapathId, Optional<OFFactory>> factories,
      BiFunction<OFFactory, DatapathId, OFMessage> rule) {
    return switches.flatMap(
        switchId ->
            factories.apply(switchId).stream()
                .map(factory -> rule.apply(factory, switchId))
                .map(message -> new MessageBatch(switchId, ImmutableList.of(message))));
  }

  /** The rule of one switch on the path. */
  static OFMessage add(OFFactory factory, Label label, Path path, DatapathId switchId) {
    return rule(factory, label)
        .add(factory, Cookie.of(CookieKind.LABEL, label.id()), next(factory, path, switchId))
        .build();
  }

  private static OFInstruction next(OFFactory factory, Path path, DatapathId switchId) {
    return path.outOf(switchId)
        .map(port -> SwitchRules.forward(factory, port))
        .orElseGet(() -> factory.instructions().gotoTable(FlowLayout.HOSTS));
  }

  /** Deletes the rule of one switch. */
  static OFMessage delete(OFFactory factory, Label label) {
    return rule(factory, label).delete(factory);
  }

  private static RuleKey rule(OFFactory factory, Label label) {
    return new RuleKey(
        FlowLayout.LABELS,
        FlowLayout.PRIORITY_ENTRY,
        factory.buildMatch().setExact(MatchField.ETH_DST, label.mac()).build());
  }
}
