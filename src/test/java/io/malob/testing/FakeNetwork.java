package io.malob.testing;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.collect.SetMultimap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFBadActionCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.errormsg.OFBadActionErrorMsg;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Several {@link FakeFlowTable}s joined by links: a frame that is sent in comes out at host ports,
 * that is, ports without a link. Not safe for use by several threads.
 */
public final class FakeNetwork {
  private static final int MAX_HOPS = 10_000;

  private final Map<DatapathId, FakeFlowTable> tables = new TreeMap<>();
  private final Map<DatapathId, LegacySwitch> legacySwitches = new TreeMap<>();
  private final Map<NodePortTuple, NodePortTuple> links = new LinkedHashMap<>();
  private final ArrayDeque<Arrival> underWay = new ArrayDeque<>();
  private final List<Delivery> delivered = new ArrayList<>();
  private final List<OFErrorMsg> refusals = new ArrayList<>();
  private final Multiset<DatapathId> wiped = HashMultiset.create();
  private final LongSupplier nanoTime;
  private SwitchProfile profile = SwitchProfile.FOUR_TABLES;
  private @Nullable PacketInHandler controller;
  private boolean running;

  /** A network in which no time passes. */
  public FakeNetwork() {
    this(() -> 0);
  }

  /** A network on a clock. */
  public FakeNetwork(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** A frame that came out at a host port, or, where no controller is set, at CONTROLLER. */
  @SuppressWarnings("ArrayRecordComponent") // tests compare the parts
  public record Delivery(DatapathId switchId, OFPort port, byte[] frame) {
    /** The switch port. */
    public NodePortTuple at() {
      return new NodePortTuple(switchId, port);
    }
  }

  /** Takes the packets that switches send to their controller; may call {@link #send}. */
  public interface PacketInHandler {
    /** A packet-in; the output names table, cookie and frame. */
    void packetIn(DatapathId switchId, OFPort inPort, FakeFlowTable.Output output);
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Arrival(DatapathId switchId, OFPort port, byte[] frame) {}

  /** Sets who gets packet-ins. */
  public void setController(PacketInHandler handler) {
    controller = handler;
  }

  /** Makes the switch of that id a plain one with ports 1 to {@code ports}. */
  public void legacy(DatapathId switchId, int ports) {
    legacySwitches.put(switchId, new LegacySwitch(ports));
  }

  /** All ports of a plain switch at which it has seen each address as a source. */
  public SetMultimap<MacAddress, OFPort> placesAt(DatapathId legacySwitch) {
    return legacySwitches.get(legacySwitch).places();
  }

  /** The addresses of the unicast frames that a plain switch has flooded. */
  public List<MacAddress> floodedAt(DatapathId legacySwitch) {
    return legacySwitches.get(legacySwitch).flooded();
  }

  /** A plain switch forgets where all addresses are. */
  public void forgetAt(DatapathId legacySwitch) {
    legacySwitches.get(legacySwitch).forget();
  }

  /** Sets what switches can do that are made from now on. */
  public void setProfile(SwitchProfile profile) {
    this.profile = profile;
  }

  /** The switch of that id, which is made if it is new. */
  public FakeFlowTable table(DatapathId switchId) {
    return table(switchId, profile);
  }

  /** The same for a switch that is unlike the others. */
  public FakeFlowTable table(DatapathId switchId, SwitchProfile itsProfile) {
    return tables.computeIfAbsent(switchId, any -> new FakeFlowTable(itsProfile, nanoTime));
  }

  /** Joins two ports, in both directions. */
  public void connect(DatapathId switchA, int portA, DatapathId switchB, int portB) {
    connectOneWay(switchA, portA, switchB, portB);
    connectOneWay(switchB, portB, switchA, portA);
  }

  /** Joins two ports, in one direction. */
  public void connectOneWay(DatapathId src, int srcPort, DatapathId dst, int dstPort) {
    table(src);
    table(dst);
    links.put(
        new NodePortTuple(src, OFPort.of(srcPort)), new NodePortTuple(dst, OFPort.of(dstPort)));
  }

  /** Cuts the link at a port, in both directions; the port is a host port then. */
  public void cut(DatapathId switchId, int port) {
    NodePortTuple end = new NodePortTuple(switchId, OFPort.of(port));
    links.remove(end);
    links.values().removeIf(end::equals);
  }

  /** A host sends a frame; gives back everything that comes out because of it. */
  public List<Delivery> inject(DatapathId switchId, int port, byte[] frame) {
    underWay.add(new Arrival(switchId, OFPort.of(port), frame));
    return run();
  }

  /**
   * The controller sends a message. Outside a packet-in, gives back what comes out because of it;
   * inside one, that is part of what the injection gives back.
   *
   * @throws RefusedMessageException if the switch answers with an error
   */
  public List<Delivery> send(DatapathId switchId, OFMessage message) {
    for (FakeFlowTable.Output output : apply(switchId, message)) {
      leave(switchId, OFPort.CONTROLLER, output);
    }
    return running ? List.of() : run();
  }

  private List<FakeFlowTable.Output> apply(DatapathId switchId, OFMessage message) {
    try {
      return table(switchId).apply(message);
    } catch (RefusedMessageException e) {
      if (!wiped.contains(switchId) || !isMissingGroup(e.error())) {
        refusals.add(e.error());
      }
      throw e;
    }
  }

  private static boolean isMissingGroup(OFErrorMsg error) {
    return error instanceof OFBadActionErrorMsg bad
        && bad.getCode() == OFBadActionCode.BAD_OUT_GROUP;
  }

  /**
   * A switch has lost its rules and groups, and the controller may not know yet: until it has read
   * the switch, it sends rules of open connections, which name groups.
   */
  public void wiped(DatapathId switchId) {
    wiped.add(switchId);
  }

  /**
   * The controller has read a switch since it was wiped; that may have happened again meanwhile.
   */
  public void readAfterWiping(DatapathId switchId) {
    wiped.remove(switchId);
  }

  /** The errors of switches about messages, except for groups that a wiped switch lacks. */
  public List<OFErrorMsg> refusals() {
    return List.copyOf(refusals);
  }

  private List<Delivery> run() {
    running = true;
    try {
      int hops = 0;
      for (Arrival at = underWay.poll(); at != null; at = underWay.poll()) {
        if (hops++ > MAX_HOPS) {
          throw new AssertionError("a frame loops");
        }
        LegacySwitch legacy = legacySwitches.get(at.switchId);
        if (legacy != null) {
          for (OFPort out : legacy.outputs(at.port, at.frame)) {
            leave(at.switchId, out, at.frame);
          }
          continue;
        }
        for (FakeFlowTable.Output output : table(at.switchId).process(at.port, at.frame)) {
          leave(at.switchId, at.port, output);
        }
      }
    } finally {
      running = false;
      underWay.clear();
    }
    List<Delivery> result = List.copyOf(delivered);
    delivered.clear();
    return result;
  }

  private void leave(DatapathId switchId, OFPort inPort, FakeFlowTable.Output output) {
    if (output.isToController() && controller != null) {
      controller.packetIn(switchId, inPort, output);
      return;
    }
    leave(switchId, output.port(), output.frame());
  }

  private void leave(DatapathId switchId, OFPort port, byte[] frame) {
    NodePortTuple peer = links.get(new NodePortTuple(switchId, port));
    if (peer == null) {
      delivered.add(new Delivery(switchId, port, frame));
    } else {
      underWay.add(new Arrival(peer.getNodeId(), peer.getPortId(), frame));
    }
  }
}
