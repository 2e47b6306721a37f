package io.malob.balancer.bucket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.algorithm.Server;
import io.malob.testing.Servers;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class ReplyOrdinalsTest {
  private static final int VIP = 7;
  private static final DatapathId CLIENTS = DatapathId.of(9);
  private static final Server MEMBER = Servers.of(3, 1);
  private static final Server OTHER = Servers.of(4, 1);

  private final ReplyOrdinals ordinals = new ReplyOrdinals();

  private List<Integer> next(int count) {
    return IntStream.range(0, count).mapToObj(any -> ordinals.next(VIP, CLIENTS, MEMBER)).toList();
  }

  @Test
  void connectionsOfAMember_takeAllPathsInTurn() {
    ordinals.publish(VIP, CLIENTS, MEMBER.at().switchId(), 3);

    assertEquals(List.of(1, 2, 3, 1), next(4));
    assertEquals(1, ordinals.next(VIP, CLIENTS, OTHER));
    assertEquals(List.of(2), next(1));
  }

  @Test
  void withoutOtherPaths_allTakeTheFirst() {
    assertEquals(List.of(1, 1), next(2));
    ordinals.publish(VIP, CLIENTS, MEMBER.at().switchId(), 2);
    ordinals.publish(VIP, CLIENTS, MEMBER.at().switchId(), 1);
    assertEquals(List.of(1, 1), next(2));
  }

  @Test
  void version_changesWithTheNumberOfPaths() {
    long first = ordinals.version();
    ordinals.publish(VIP, CLIENTS, MEMBER.at().switchId(), 1);
    assertEquals(first, ordinals.version());
    ordinals.publish(VIP, CLIENTS, MEMBER.at().switchId(), 2);
    ordinals.publish(VIP, CLIENTS, MEMBER.at().switchId(), 2);
    assertEquals(first + 1, ordinals.version());
  }

  @Test
  void forgottenVip_hasOnePathPerMember() {
    ordinals.publish(VIP, CLIENTS, MEMBER.at().switchId(), 2);
    ordinals.forget(VIP);
    assertEquals(1, ordinals.paths(VIP, CLIENTS, MEMBER));
  }
}
