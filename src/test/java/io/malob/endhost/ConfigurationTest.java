package io.malob.endhost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.json.RejectedException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationTest {
  private static final String GOOD =
      new String(
          HostOnASwitch.configuration("RR", "\"10.0.1.2\"", "\"10.0.2.2\""),
          StandardCharsets.UTF_8);

  @Test
  void configuration_isReadWhole() throws Exception {
    HostNetwork network = read(GOOD);
    assertEquals(HostOnASwitch.SWITCH, network.switchId());
    assertEquals("RR", network.algorithm());
    assertEquals(HostOnASwitch.HOST, network.inside().ipv4());
    assertEquals(2, network.uplinks().size());
    assertEquals(HostOnASwitch.uplinkMac(1), network.uplinks().get(1).mac());
  }

  @Test
  void algorithm_thatIsNotNamed_staysAsItIs() throws Exception {
    assertEquals("MBW", read(GOOD.replace("\"algorithm\": \"RR\",", "")).algorithm());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`\"switch\"` | `\"swich\"` | swich",
        "`00:00:00:00:00:00:00:aa` | `x` | switch",
        "`\"RR\"` | `\"rr\"` | algorithm",
        "`\"mac\": \"02:00:00:00:00:01\"` | `\"mac\": \"02\"` | inside.mac",
        "`\"port\": \"malob-sw\",` | `` | inside.port",
        "`\"198.18.255.1\"` | `\"198.18.255\"` | inside.gateway_ipv4",
        "`\"name\": \"eth1\"` | `\"name\": \"eth0\"` | uplinks[1].name",
        "`\"port\": \"eth1\"` | `\"port\": \"eth0\"` | uplinks[1].port",
        "`\"name\": \"eth0\",` | `\"name\": \"eth0\", \"weight\": -1,` | uplinks[0].weight",
        "`\"10.0.2.2\"` | `\"10.0.2.256\"` | uplinks[1].ipv4",
        "`\"inside\"` | `\"default_uplink\": \"wlan0\", \"inside\"` | default_uplink",
        "`\"inside\"` | `\"race_ports\": 80, \"inside\"` | race_ports",
        "`\"inside\"` | `\"race_ports\": [80, 0], \"inside\"` | race_ports[1]"
      })
  void mistake_isRefusedWithItsField(String good, String bad, String field) {
    String wrong = GOOD.replace(good, bad == null ? "" : bad);
    RejectedException refused = assertThrows(RejectedException.class, () -> read(wrong));
    assertEquals(field, refused.field().orElse(""));
    assertEquals(RejectedException.Reason.INVALID, refused.reason());
  }

  @Test
  void whatIsNoJson_isRefused() {
    assertThrows(RejectedException.class, () -> read("{"));
    assertThrows(RejectedException.class, () -> read("[]"));
  }

  @Test
  void capacity_mayBeZeroOrMeasuredAgainButNotLeftOut() throws Exception {
    assertEquals(OptionalLong.of(0), capacity("{\"capacity_bps\": 0}"));
    assertEquals(OptionalLong.empty(), capacity("{\"capacity_bps\": null}"));
    assertThrows(RejectedException.class, () -> capacity("{}"));
    assertThrows(RejectedException.class, () -> capacity("{\"capacity_bps\": -1}"));
    assertThrows(RejectedException.class, () -> capacity("{\"capacity_bps\": \"1\"}"));
  }

  @Test
  void requests_beforeAConfiguration_areRefused() {
    EndhostModule module = new HostOnASwitch().module;
    byte[] body = "{\"algorithm\": \"RR\"}".getBytes(StandardCharsets.UTF_8);
    RejectedException refused =
        assertThrows(RejectedException.class, () -> module.setAlgorithm(body));
    assertEquals(RejectedException.Reason.UNPROCESSABLE, refused.reason());
  }

  @Test
  void capacity_ofAnUplinkThatIsNotThere_isRefused() throws Exception {
    EndhostModule module = new HostOnASwitch().configured().module;
    byte[] body = "{\"capacity_bps\": 1}".getBytes(StandardCharsets.UTF_8);
    RejectedException refused =
        assertThrows(RejectedException.class, () -> module.setCapacity("eth7", body));
    assertEquals(RejectedException.Reason.NOT_FOUND, refused.reason());
  }

  private static HostNetwork read(String text) throws RejectedException {
    return ConfigurationReader.network(text.getBytes(StandardCharsets.UTF_8), "MBW");
  }

  private static OptionalLong capacity(String text) throws RejectedException {
    return ConfigurationReader.capacity(text.getBytes(StandardCharsets.UTF_8));
  }
}
