package io.malob.cluster.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.module.PeerListener;
import io.malob.module.PeerTopic;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerListenersTest {
  private final PeerListeners listeners = new PeerListeners();
  private final List<Long> received = new ArrayList<>();

  PeerListenersTest() {
    listeners.add(
        PeerTopic.HOSTS,
        new PeerListener() {
          @Override
          public void reached(String peer) {}

          @Override
          public void received(String peer, ByteBuffer message) {
            long number = message.getLong();
            if (number < 0) {
              throw new IllegalArgumentException("negative");
            } else if (number == 0) {
              throw new IllegalStateException("on purpose");
            }
            received.add(number);
          }

          @Override
          public void lost(String peer) {}
        });
  }

  private void receive(ByteBuffer message) {
    listeners.received("b", PeerTopic.HOSTS, message);
  }

  private static ByteBuffer number(long number) {
    return ByteBuffer.allocate(8).putLong(number).flip();
  }

  @Test
  void damagedMessages_areCounted_andLaterOnesAreReceived() {
    receive(ByteBuffer.allocate(3));
    receive(number(-1));
    receive(number(7));
    assertEquals(2, listeners.damaged());
    assertEquals(List.of(7L), received);
  }

  /** A defect of a listener is no damaged message, and does not end the stream. */
  @Test
  void otherExceptions_areNotCounted() {
    receive(number(0));
    receive(number(7));
    assertEquals(0, listeners.damaged());
    assertEquals(List.of(7L), received);
  }
}
