package io.malob.balancer;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.Counting;
import io.malob.algorithm.health.Ejection;
import io.malob.balancer.connection.ConnectionRuleSender.IdleTimeouts;
import io.malob.balancer.connection.RecordFile;
import io.malob.balancer.proactive.ProactiveSettings;
import io.malob.balancer.reroute.LongFlowSettings;
import io.malob.module.BaseModule;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.module.WrongSettingException;
import io.malob.state.network.Routers;
import io.malob.state.network.SelfAddresses;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The settings of the load balancer. */
final class BalancerSettings {
  private static final int MAX_IDLE_SECONDS = 0xffff - 60;

  static final Setting<Integer> MAX_CONNECTIONS =
      Setting.number("maxConnections", 500_000, 1, Integer.MAX_VALUE)
          .describedAs("The max number of open connections.");
  static final Setting<Integer> MAX_DORMANT =
      Setting.number("maxDormant", 100_000, 0, Integer.MAX_VALUE / 2)
          .describedAs(
              "The max number of dormant connections: their rules have expired, their state is"
                  + " kept.");
  static final Setting<Integer> MAX_HALF_OPEN =
      Setting.number("maxHalfOpen", 500_000, 1, Integer.MAX_VALUE)
          .describedAs("The max number of half-open connections of one VIP.");
  static final Setting<Integer> FLOOD_PER_SECOND =
      Setting.number("floodPerSecond", 5_000, 1, Integer.MAX_VALUE)
          .describedAs(
              "The packet-ins per second that the controller drops from one queue of a switch"
                  + " before the switch must drop them itself.");
  static final Setting<Integer> IDLE_TIMEOUT_TCP =
      Setting.number("idleTimeoutTcp", 15, 1, MAX_IDLE_SECONDS)
          .describedAs("The idle timeout in seconds of a TCP connection's rules.");
  static final Setting<Integer> IDLE_TIMEOUT_UDP =
      Setting.number("idleTimeoutUdp", 10, 1, MAX_IDLE_SECONDS)
          .describedAs("The idle timeout in seconds of a UDP connection's rules.");
  static final Setting<Integer> IDLE_TIMEOUT_ICMP =
      Setting.number("idleTimeoutIcmp", 5, 1, MAX_IDLE_SECONDS)
          .describedAs("The idle timeout in seconds of an ICMP connection's rules.");
  static final Setting<Boolean> TELL_ENDS =
      Setting.flag("tellEnds", true)
          .describedAs(
              "true: switches copy FIN and RST of clients to the controller, so that an ended TCP"
                  + " connection no longer counts as open; false: it counts until its rules"
                  + " expire, with less work for switch and controller.");
  static final Setting<Integer> ANSWER_SECONDS =
      Setting.number("answerSeconds", 10, 1, 3_600)
          .describedAs("The max time in seconds that a switch takes to report its rules.");
  static final Setting<Integer> AUDIT_SECONDS =
      Setting.number("auditSeconds", 60, 5, 86_400)
          .describedAs("The interval in seconds between two readings of a switch's rules.");
  static final Setting<Integer> ADOPT_SECONDS =
      Setting.number("adoptSeconds", 60, 5, 86_400)
          .describedAs(
              "The time in seconds for which the controller keeps the path of a connection from"
                  + " before its start that no switch has reported.");
  static final Setting<Boolean> COUNT_PLACED =
      Setting.flag("countPlaced", true)
          .describedAs(
              "true: algorithms add the connections placed since the last measurement; false:"
                  + " they use measurements alone, as in the thesis.");
  static final Setting<Boolean> REFUSE_SPOOFING =
      Setting.flag("refuseSpoofing", true)
          .describedAs(
              "true: drop packets of hosts that claim the address of a VIP, or of a server that"
                  + " answers at another location.");
  static final Setting<SelfAddresses> SELF_ADDRESSES =
      new Setting<>(
          "selfAddresses",
          "",
          SelfAddresses.EXPECTED,
          "The balancer's own addresses in the subnets of its network: the next hop of routers to"
              + " VIPs outside these subnets, and the source of health checks.",
          Optional.empty(),
          SelfAddresses::parse);
  static final Setting<SelfAddresses> SOURCE_ADDRESSES =
      new Setting<>(
          "sourceAddresses",
          "",
          SelfAddresses.EXPECTED,
          "The addresses that members of pools with source_nat see instead of their clients': in"
              + " the members' subnets or those of the routers to them, for each switch that has"
              + " clients one of its own, of no host and not among selfAddresses.",
          Optional.empty(),
          SelfAddresses::parse);
  static final Setting<Routers> ROUTERS =
      new Setting<>(
          "routers",
          "",
          Routers.EXPECTED,
          "The routers that may take over the clients of another router, by IP or MAC address;"
              + " empty: any host.",
          Optional.empty(),
          Routers::parse);
  static final Setting<Integer> EJECT_AFTER =
      Setting.number("ejectAfter", 3, 0, 1_000)
          .describedAs(
              "The number of clients in a row that a member leaves without an answer until it"
                  + " gets no new connections; 0: never.");
  static final Setting<Integer> EJECT_SECONDS =
      Setting.number("ejectSeconds", 30, 1, 86_400)
          .describedAs("For how many seconds it gets none, and longer each time it happens again.");

  /** All of them. */
  static final ImmutableList<Setting<?>> ALL =
      ImmutableList.<Setting<?>>builder()
          .add(
              BaseModule.DATA,
              MAX_CONNECTIONS,
              MAX_DORMANT,
              MAX_HALF_OPEN,
              FLOOD_PER_SECOND,
              IDLE_TIMEOUT_TCP,
              IDLE_TIMEOUT_UDP,
              IDLE_TIMEOUT_ICMP,
              TELL_ENDS,
              ANSWER_SECONDS,
              AUDIT_SECONDS,
              ADOPT_SECONDS,
              COUNT_PLACED,
              REFUSE_SPOOFING,
              SELF_ADDRESSES,
              SOURCE_ADDRESSES,
              ROUTERS,
              EJECT_AFTER,
              EJECT_SECONDS,
              ejectMaxSeconds(1))
          .addAll(LongFlowSettings.ALL)
          .addAll(RecordFile.ALL)
          .addAll(ProactiveSettings.ALL)
          .build();

  private BalancerSettings() {}

  /** The longest ejection is not shorter than the first one. */
  private static Setting<Integer> ejectMaxSeconds(int ejectSeconds) {
    return Setting.number("ejectMaxSeconds", Math.max(300, ejectSeconds), ejectSeconds, 86_400)
        .describedAs("The max number of seconds for which a member gets no new connections.")
        .formerly("ejectMostSeconds");
  }

  /** When and for how long a member without answers is ejected. */
  static Ejection.Policy ejection(SettingReader settings) throws WrongSettingException {
    int seconds = settings.get(EJECT_SECONDS);
    return new Ejection.Policy(
        settings.get(EJECT_AFTER),
        TimeUnit.SECONDS.toNanos(seconds),
        TimeUnit.SECONDS.toNanos(settings.get(ejectMaxSeconds(seconds))));
  }

  /** The idle timeouts of connections' rules. */
  static IdleTimeouts idleTimeouts(SettingReader settings) throws WrongSettingException {
    return new IdleTimeouts(
        settings.get(IDLE_TIMEOUT_TCP),
        settings.get(IDLE_TIMEOUT_UDP),
        settings.get(IDLE_TIMEOUT_ICMP));
  }

  /** Whether algorithms add the connections placed since a measurement. */
  static Counting counting(SettingReader settings) throws WrongSettingException {
    return settings.get(COUNT_PLACED) ? Counting.PLACED_SINCE : Counting.MEASURED_ONLY;
  }
}
