package io.malob.openflow;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.algorithm.Attachment;
import io.malob.openflow.packet.VlanTag;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Sends all messages to switches. Thread-safe; never blocks. If a switch is disconnected or too
 * slow, messages are counted and dropped: a switch that reconnects is programmed anew, and a
 * connection without its rule is detected by its next packet.
 */
public final class RuleSender {

  /** The sending side of a connected switch. */
  public interface SwitchConnection {
    /** Makes messages of the switch's OpenFlow version. */
    OFFactory factory();

    /** Sends messages in order and in one go; false if any was not sent. */
    boolean write(Iterable<OFMessage> messages);

    /** Completes when the switch has processed all earlier messages. */
    ListenableFuture<?> barrier();
  }

  /** Finds connected switches. */
  public interface SwitchDirectory {
    /** The switch of that id; empty if it is not connected. */
    Optional<SwitchConnection> find(DatapathId switchId);
  }

  private final SwitchDirectory switches;
  private final RuleCompiler compiler;
  private final LongAdder unsent = new LongAdder();

  /** Sends messages as they are, to switches of any layout. */
  public RuleSender(SwitchDirectory switches) {
    this(switches, RuleCompiler.FOUR_TABLES);
  }

  /**
   * Sends rules for four tables to switches with any number of tables. A switch whose layout is
   * unknown counts as disconnected.
   */
  public RuleSender(SwitchDirectory switches, RuleCompiler compiler) {
    this.switches = switches;
    this.compiler = compiler;
  }

  /** Compiles the rules that it sends. */
  public RuleCompiler compiler() {
    return compiler;
  }

  /** Sends compiled messages; false if the layout is unknown, or any message was not sent. */
  private boolean write(DatapathId switchId, SwitchConnection sw, List<OFMessage> messages) {
    @Nullable TableLayout layout = compiler.layout(switchId);
    return layout != null && sw.write(compiler.compile(switchId, layout, sw.factory(), messages));
  }

  /** The message factory of a switch; empty if it is not connected. */
  public Optional<OFFactory> factory(DatapathId switchId) {
    return tables(switchId).map(SwitchTables::factory);
  }

  /** How rules of proactive VIPs are placed on a switch; empty if it is not connected. */
  public Optional<SwitchTables> tables(DatapathId switchId) {
    @Nullable TableLayout layout = compiler.layout(switchId);
    return layout == null
        ? Optional.empty()
        : switches.find(switchId).map(sw -> new SwitchTables(sw.factory(), layout));
  }

  /** Sends messages to a switch in order; false if they could not all be sent. */
  public boolean send(DatapathId switchId, List<OFMessage> messages) {
    return send(switchId, factory -> messages);
  }

  /**
   * Sends messages that are made with the switch's own factory, in order; false if they could not
   * all be sent.
   */
  public boolean send(DatapathId switchId, Function<OFFactory, List<OFMessage>> messages) {
    Optional<SwitchConnection> sw = switches.find(switchId);
    boolean sent = sw.isPresent() && write(switchId, sw.get(), messages.apply(sw.get().factory()));
    if (!sent) {
      unsent.increment();
    }
    return sent;
  }

  /**
   * The same if the switch is connected and its layout is known; otherwise, nothing is to be sent
   * there.
   */
  public boolean sendIfConnected(
      DatapathId switchId, Function<OFFactory, List<OFMessage>> messages) {
    return factory(switchId).isPresent() && send(switchId, messages);
  }

  /** Sends an untagged frame to a host or router, on its VLAN. */
  public void sendFrame(Attachment receiver, byte[] frame) {
    sendFrame(receiver.switchId(), List.of(receiver.port()), VlanTag.set(frame, receiver.vlan()));
  }

  /** Sends a frame from these ports of a switch, unchanged. */
  public void sendFrame(DatapathId switchId, Collection<OFPort> ports, byte[] frame) {
    switches
        .find(switchId)
        .ifPresent(
            sw -> {
              OFFactory factory = sw.factory();
              OFMessage packetOut =
                  PacketOuts.of(
                      factory,
                      frame,
                      ports.stream()
                          .<OFAction>map(port -> factory.actions().output(port, Integer.MAX_VALUE))
                          .toList());
              if (!sw.write(List.of(packetOut))) {
                unsent.increment();
              }
            });
  }

  /**
   * Sends batches one after the other, each only when the switch of the batch before has confirmed
   * that it is done.
   *
   * @param done called once, on any thread: whether all were sent and confirmed; the first failure
   *     ends the sequence
   */
  public void sendInOrder(List<MessageBatch> batches, Consumer<Boolean> done) {
    if (batches.isEmpty()) {
      done.accept(true);
      return;
    }
    MessageBatch first = batches.get(0);
    Optional<SwitchConnection> sw = switches.find(first.switchId());
    if (sw.isEmpty() || !write(first.switchId(), sw.get(), first.messages())) {
      unsent.increment();
      done.accept(false);
      return;
    }
    Answers.take(
        sw.get().barrier(),
        MoreExecutors.directExecutor(),
        reply -> sendInOrder(batches.subList(1, batches.size()), done),
        cause -> done.accept(false));
  }

  /** The number of batches that could not be sent, since the start. */
  public long unsent() {
    return unsent.sum();
  }
}
