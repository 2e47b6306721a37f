package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.malob.algorithm.Algorithm;
import io.malob.balancer.api.ExplainedConnection.Exclusion;
import io.malob.balancer.api.ExplainedConnection.Placed;
import io.malob.balancer.api.RejectReason;
import io.malob.openflow.packet.Packet;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Members that are backups, and members without weight. */
class BackupTest {
  private static final int ACK = Packet.TCP_ACK;

  private final PolicyFixture fixture = new PolicyFixture();

  private static Stream<String> algorithms() {
    return Algorithm.names().stream();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void backup_isUsedOnlyWhileNoOtherMemberIs(String algorithm) {
    fixture.setPool("lb_method", algorithm);
    fixture.setMember("m1", "backup", "true");
    for (int port = 40_000; port < 40_004; port++) {
      fixture.assertReaches(fixture.second, fixture.open(port));
    }

    fixture.setMember("m2", "admin_state", "drain");
    fixture.assertReaches(fixture.first, fixture.open(40_010));

    fixture.setMember("m2", "admin_state", "up");
    fixture.assertReaches(fixture.second, fixture.open(40_020));
    fixture.assertReaches(fixture.first, fixture.send(fixture.client, 40_010, ACK));
  }

  @Test
  void backup_isUsedWhereTheOthersCannotBeReached() {
    fixture.setMember("m1", "backup", "true");
    fixture.net.forget(fixture.second);

    fixture.assertReaches(fixture.first, fixture.open(40_000));
  }

  /** A member cannot serve itself. */
  @Test
  void backup_isUsedByAClientForWhichThereIsNoOther() {
    fixture.setMember("m1", "backup", "true");

    fixture.assertReaches(fixture.first, fixture.send(fixture.second, 40_000, Packet.TCP_SYN));
  }

  @Test
  void backup_isExplained() {
    fixture.setMember("m1", "backup", "true");
    assertEquals(Optional.of(Exclusion.BACKUP), fixture.exclusion("m1"));
    assertEquals(Optional.empty(), fixture.exclusion("m2"));

    fixture.setMember("m2", "admin_state", "down");

    assertEquals(Optional.empty(), fixture.exclusion("m1"));
    assertEquals(Optional.of(Exclusion.DOWN), fixture.exclusion("m2"));
    assertInstanceOf(Placed.class, fixture.explain().outcome());
  }

  @Test
  void memberWithoutWeight_getsNothingNew_andKeepsWhatIsOpen() {
    fixture.assertReaches(fixture.first, fixture.open(40_000));
    fixture.assertReaches(fixture.first, fixture.send(fixture.client, 40_000, ACK));

    fixture.setMember("m1", "weight", "0");

    assertEquals(Optional.of(Exclusion.NO_WEIGHT), fixture.exclusion("m1"));
    for (int port = 40_001; port < 40_005; port++) {
      fixture.assertReaches(fixture.second, fixture.open(port));
    }
    fixture.net.pass(60);
    fixture.net.expire();
    fixture.assertReaches(fixture.first, fixture.send(fixture.client, 40_000, ACK));
    fixture.close(40_000);
    assertEquals(0, fixture.net.stats("m1").activeConnections());

    fixture.setMember("m1", "weight", "1", "admin_state", "up");
    fixture.setMember("m2", "weight", "0");
    fixture.assertReaches(fixture.first, fixture.open(40_006));
  }

  @Test
  void poolWithoutAnyWeight_refuses() {
    fixture.setMember("m1", "weight", "0");
    fixture.setMember("m2", "weight", "0");

    fixture.assertReset(fixture.client, fixture.open(40_000));

    assertEquals(1, fixture.net.refused(RejectReason.NO_MEMBER));
  }
}
