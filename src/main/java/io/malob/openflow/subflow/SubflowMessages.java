package io.malob.openflow.subflow;

import io.malob.openflow.SwitchRules;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFAggregateStatsRequest;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** Messages about the rules for sub-flows of one switch. Pure. */
public final class SubflowMessages {
  /** Epochs are from 0 to less than this. */
  public static final int EPOCHS = SubflowCookie.EPOCHS;

  private SubflowMessages() {}

  /**
   * Replaces all rules of a switch by exactly these, without a gap: they are added, those that only
   * lead to others last, and then rules with another epoch are deleted.
   *
   * @param epoch an epoch that no earlier rule of the switch had
   */
  public static List<OFMessage> exactly(
      OFFactory factory, Collection<SubflowRule> rules, int epoch) {
    List<OFMessage> messages = new ArrayList<>();
    rules.stream()
        .sorted(Comparator.comparing(SubflowRule::step))
        .forEach(rule -> messages.add(rule.add(factory, epoch)));
    // rules of different epochs must not meet in a switch that changes their order
    messages.add(factory.barrierRequest());
    for (SubflowCookie.Masked other : SubflowCookie.othersThan(epoch)) {
      messages.add(SwitchRules.deleteByCookie(factory, other.cookie(), other.mask()));
    }
    return messages;
  }

  /** Requests the number of rules for sub-flows of a switch. */
  public static OFAggregateStatsRequest count(OFFactory factory) {
    return factory
        .buildAggregateStatsRequest()
        .setTableId(TableId.ALL)
        .setOutPort(OFPort.ANY)
        .setCookie(SubflowCookie.of(0, 0))
        .setCookieMask(SubflowCookie.applicationMask())
        .build();
  }
}
