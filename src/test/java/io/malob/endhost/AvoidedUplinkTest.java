package io.malob.endhost;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.testing.FakeFlowTable.Output;
import io.malob.testing.Frames;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.IPv4Address;

/** The router of eth1 answers, but nothing behind it does. */
class AvoidedUplinkTest {
  private static final int SYN = 0x02;
  private static final int SYN_ACK = 0x12;

  private HostOnASwitch host;
  private int port = 40_000;

  @BeforeEach
  void configure() throws Exception {
    host = new HostOnASwitch().configured();
  }

  private static IPv4Address server(int number) {
    return IPv4Address.of("192.0.2." + number);
  }

  /** Opens a connection to a server that answers over eth0 only; its uplink. */
  private int opens(int server) {
    int uplink = host.opens(++port, server(server));
    if (uplink == 0) {
      assertEquals(1, host.tcpComesIn(0, server(server), port, SYN_ACK).size());
    }
    return uplink;
  }

  private void pass(int seconds) {
    for (int second = 0; second < seconds; second++) {
      host.pass(1_000);
      host.sweep();
    }
  }

  private boolean isAvoided(int uplink) {
    Map<?, ?> shown = (Map<?, ?>) ((List<?>) host.module.status().get("uplinks")).get(uplink);
    return (Boolean) shown.get("avoided");
  }

  private void lose() {
    for (int server = 1; server <= 6; server++) {
      assertEquals((server - 1) % 2, opens(server));
    }
    pass(4);
  }

  @Test
  void newConnections_useTheUplinkThatIsAnswered() {
    lose();

    assertEquals(List.of(false, true), List.of(isAvoided(0), isAvoided(1)));
    for (int server = 1; server <= 6; server++) {
      assertEquals(0, opens(server));
    }
  }

  /** Their retransmitted SYNs are placed anew. */
  @Test
  void connectionsThatAreBeingOpened_move() {
    lose();

    List<Output> again = host.sendsTcp(40_002, server(2), SYN);

    assertEquals(List.of(HostOnASwitch.uplinkPort(0)), again.stream().map(Output::port).toList());
  }

  @Test
  void oneServerThatDoesNotAnswer_isNoReason() {
    for (int count = 0; count < 6; count++) {
      int uplink = host.opens(++port, server(1));
      host.tcpComesIn(uplink, server(1), port, SYN_ACK);
      host.opens(++port, server(99));
      host.opens(++port, server(99));
    }
    pass(4);

    assertEquals(List.of(false, false), List.of(isAvoided(0), isAvoided(1)));
  }

  @Test
  void oneServerThatAnswersOverTheOtherUplink_isAReason() {
    for (int count = 0; count < 6; count++) {
      opens(1);
    }
    pass(4);

    assertEquals(List.of(false, true), List.of(isAvoided(0), isAvoided(1)));
  }

  @Test
  void networkThatAnswersNowhere_avoidsNoUplink() {
    for (int server = 1; server <= 6; server++) {
      host.opens(++port, server(server));
    }
    pass(4);

    assertEquals(List.of(false, false), List.of(isAvoided(0), isAvoided(1)));
  }

  @Test
  void avoidedUplink_isTried_andUsedAgainWhenItIsAnswered() {
    lose();
    pass(11);
    byte[] syn =
        Frames.tcp(
            HostOnASwitch.HOST_MAC,
            HostOnASwitch.GATEWAY_MAC,
            HostOnASwitch.HOST,
            50_000,
            server(7),
            80,
            SYN,
            -1); // the frames of tests acknowledge 0, which comes after it

    assertEquals(2, host.sends(syn).size());
    assertEquals(1, host.tcpComesIn(0, server(7), 50_000, SYN_ACK).size());
    host.tcpComesIn(1, server(7), 50_000, SYN_ACK); // later, and reset

    assertEquals(false, isAvoided(1));
    assertEquals(
        List.of(1, 0), List.of(host.opens(50_001, server(8)), host.opens(50_002, server(9))));
  }

  @Test
  void trials_areRare() {
    lose();
    pass(11);
    assertEquals(2, host.sendsTcp(50_000, server(7), SYN).size());
    assertEquals(1, host.sendsTcp(50_001, server(7), SYN).size());
    pass(11);
    assertEquals(1, host.sendsTcp(50_002, server(7), SYN).size());
    pass(10);
    assertEquals(2, host.sendsTcp(50_003, server(7), SYN).size());
  }

  @Test
  void avoidedUplink_isUsedIfThereIsNoOther() {
    lose();
    host.uplinks.setAlive("eth0", false);

    assertEquals(1, host.opens(50_000, server(7)));
  }

  /** What it is now is not known. */
  @Test
  void uplinkThatComesBack_isNotAvoided() {
    lose();
    host.uplinks.setAlive("eth1", false);
    host.uplinks.setAlive("eth1", true);

    assertEquals(false, isAvoided(1));
  }
}
