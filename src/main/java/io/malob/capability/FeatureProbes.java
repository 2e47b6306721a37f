package io.malob.capability;

import com.google.common.collect.ImmutableList;
import io.malob.openflow.MessageBatch;
import io.malob.openflow.RuleKey;
import io.malob.openflow.RuleSender;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.errormsg.OFFlowModFailedErrorMsg;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Which features the connected switches have and lack, by what they have refused. All is forgotten
 * when a switch disconnects: it may be another when it returns. Thread-safe; nothing blocks.
 */
public final class FeatureProbes {
  private final Map<DatapathId, Connection> connections = new ConcurrentHashMap<>();

  /** The messages on their way to switches that need a feature, by their transaction ids. */
  private final Map<Long, Trial> trials = new ConcurrentHashMap<>();

  private final Map<SwitchFeature, Collection<Consumer<DatapathId>>> listeners =
      new ConcurrentHashMap<>();

  /** What a switch has said about a feature. */
  public enum Answer {
    /** Nothing yet. */
    PENDING,
    ACCEPTED,
    REFUSED
  }

  /** One connection of a switch, and what it has been asked for or has refused. */
  private record Connection(DatapathId switchId, Map<SwitchFeature, Answer> answers) {}

  private record Trial(Connection connection, SwitchFeature feature) {}

  private Connection connection(DatapathId switchId) {
    return connections.computeIfAbsent(
        switchId, same -> new Connection(same, new ConcurrentHashMap<>()));
  }

  /** Calls a listener, once per connection, with each switch that refuses a feature. */
  public void subscribe(SwitchFeature feature, Consumer<DatapathId> listener) {
    listeners.computeIfAbsent(feature, any -> new CopyOnWriteArrayList<>()).add(listener);
  }

  /**
   * Whether a switch has a feature, as far as is known: it has all that it has not refused, but
   * those that a packet must show.
   */
  public boolean has(DatapathId switchId, SwitchFeature feature) {
    Answer known = known(switchId, feature);
    return feature.probing() == SwitchFeature.Probing.BY_PACKET
        ? known == Answer.ACCEPTED
        : known != Answer.REFUSED;
  }

  /** What a switch has said about a feature; nothing is asked. */
  public Answer known(DatapathId switchId, SwitchFeature feature) {
    @Nullable Connection connection = connections.get(switchId);
    return connection == null
        ? Answer.PENDING
        : connection.answers.getOrDefault(feature, Answer.PENDING);
  }

  /** What a switch has said about a feature that is probed on demand; asks it if it was not. */
  public Answer ask(RuleSender sender, DatapathId switchId, SwitchFeature feature) {
    Map<SwitchFeature, Answer> answers = connection(switchId).answers;
    @Nullable Answer known = answers.putIfAbsent(feature, Answer.PENDING);
    if (known != null) {
      return known;
    }
    sender
        .tables(switchId)
        .ifPresentOrElse(
            tables -> {
              OFFlowAdd rule = feature.rule(tables);
              OFMessage removal = RuleKey.of(rule).delete(tables.factory(), rule.getCookie());
              Consumer<Boolean> end = attempt(switchId, feature, List.of(rule));
              sender.sendInOrder(
                  List.of(new MessageBatch(switchId, ImmutableList.of(rule, removal))),
                  isConfirmed -> {
                    end.accept(isConfirmed);
                    if (isConfirmed) {
                      answers.replace(feature, Answer.PENDING, Answer.ACCEPTED);
                    } else {
                      answers.remove(feature, Answer.PENDING);
                    }
                  });
            },
            () -> answers.remove(feature, Answer.PENDING));
    return Answer.PENDING;
  }

  /**
   * Notes that messages need a feature: if the switch refuses one of them, it lacks the feature. To
   * be called before they are sent, apart from those that do not need it.
   *
   * @return to be called when the switch has confirmed the messages, or will not
   */
  public Consumer<Boolean> attempt(
      DatapathId switchId, SwitchFeature feature, Collection<? extends OFMessage> messages) {
    Trial trial = new Trial(connection(switchId), feature);
    List<Long> transactions = messages.stream().map(OFMessage::getXid).toList();
    transactions.forEach(transaction -> trials.put(transaction, trial));
    return isConfirmed -> transactions.forEach(trials::remove);
  }

  /** A switch has refused a message; false if the message is not known to need a feature. */
  public boolean refused(OFErrorMsg error) {
    @Nullable Trial trial = trials.get(error.getXid());
    if (trial == null) {
      return false;
    }
    if (trial.feature.probing() == SwitchFeature.Probing.IN_USE || !isTableFull(error)) {
      trials.remove(error.getXid());
      refused(trial);
    }
    return true;
  }

  /** A packet has shown that a switch has a feature. */
  void accepted(DatapathId switchId, SwitchFeature feature) {
    connection(switchId).answers.put(feature, Answer.ACCEPTED);
  }

  /** A switch has refused a rule because it lacks a feature. */
  public void refused(DatapathId switchId, SwitchFeature feature) {
    refused(new Trial(connection(switchId), feature));
  }

  private void refused(Trial trial) {
    if (trial.connection.answers.put(trial.feature, Answer.REFUSED) != Answer.REFUSED) {
      listeners
          .getOrDefault(trial.feature, List.of())
          .forEach(each -> each.accept(trial.connection.switchId));
    }
  }

  /** A switch has disconnected: a later one of its name may be another. */
  public void forget(DatapathId switchId) {
    connections.remove(switchId);
  }

  static boolean isTableFull(OFErrorMsg error) {
    return error instanceof OFFlowModFailedErrorMsg failed
        && failed.getCode() == OFFlowModFailedCode.TABLE_FULL;
  }
}
