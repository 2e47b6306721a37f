package io.malob.controller.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;

import io.malob.testing.ScriptedSwitch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFType;

class MessageListenersTest {
  private static final OFType TYPE = OFType.ECHO_REPLY;

  private final MessageListeners listeners = new MessageListeners(() -> {});
  private final List<String> called = new ArrayList<>();

  /** Wants to come after some and before others. */
  private final class Named implements IOFMessageListener {
    private final String name;
    private final Set<String> after;
    private final Set<String> before;

    Named(String name, Set<String> after, Set<String> before) {
      this.name = name;
      this.after = after;
      this.before = before;
    }

    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isCallbackOrderingPrereq(OFType type, String other) {
      return after.contains(other);
    }

    @Override
    public boolean isCallbackOrderingPostreq(OFType type, String other) {
      return before.contains(other);
    }

    @Override
    public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
      called.add(name);
      if (name.startsWith("broken")) {
        throw new IllegalStateException(name);
      }
      return name.startsWith("stop") ? Command.STOP : Command.CONTINUE;
    }
  }

  @Test
  void dispatch_noConstraints_keepsTheOrderOfAdding() {
    add("c", Set.of(), Set.of());
    add("a", Set.of(), Set.of());
    add("b", Set.of(), Set.of());
    assertEquals(List.of("c", "a", "b"), dispatch());
  }

  @Test
  void dispatch_prerequisitesOfAChain_comeFirst() {
    add("forwarding", Set.of("devices", "balancer"), Set.of());
    add("balancer", Set.of("topology"), Set.of());
    add("devices", Set.of(), Set.of("balancer"));
    add("topology", Set.of(), Set.of("devices"));
    assertEquals(List.of("topology", "devices", "balancer", "forwarding"), dispatch());
  }

  @Test
  void add_wouldBeACycle_namesTheListenersAndChangesNothing() {
    add("a", Set.of("b"), Set.of());
    IllegalArgumentException failure =
        assertThrows(IllegalArgumentException.class, () -> add("b", Set.of("a"), Set.of()));
    assertEquals(
        "a, b: these listeners of ECHO_REPLY would have to wait for each other",
        failure.getMessage());
    assertEquals(List.of("a"), dispatch());
  }

  @Test
  void dispatch_oneStops_laterOnesAreNotCalled() {
    add("a", Set.of(), Set.of());
    add("stop", Set.of(), Set.of());
    add("b", Set.of(), Set.of());
    assertEquals(List.of("a", "stop"), dispatch());
  }

  @Test
  void dispatch_oneThrows_laterOnesAreCalledAndItIsCounted() {
    add("broken", Set.of(), Set.of());
    add("b", Set.of(), Set.of());
    assertEquals(List.of("broken", "b"), dispatch());
    assertEquals(1, listeners.failureCount());
  }

  @Test
  void addTwice_isSeenOnceAndAtOnce() {
    assertEquals(Map.of(), listeners.getListeners());
    assertEquals(List.of(), dispatch());
    Named a = add("a", Set.of(), Set.of());
    listeners.addOFMessageListener(TYPE, a);
    assertEquals(Map.of(TYPE, List.of(a)), listeners.getListeners());
  }

  private Named add(String name, Set<String> after, Set<String> before) {
    Named listener = new Named(name, after, before);
    listeners.addOFMessageListener(TYPE, listener);
    return listener;
  }

  private List<String> dispatch() {
    listeners.dispatch(mock(IOFSwitch.class), ScriptedSwitch.FACTORY.echoReply(new byte[0]));
    return called;
  }
}
