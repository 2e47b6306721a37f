package io.malob.mptcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.subflow.PlanRequest;
import io.malob.json.RejectedException;
import io.malob.openflow.IpFamily;
import io.malob.openflow.subflow.Fan.Tagging;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestFormatTest {
  private static MptcpRequest read(String text) throws RejectedException {
    return RequestFormat.read(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource({
    "{}, DISJOINT",
    "{'method': 'balanced'}, BALANCED",
    "{'method': 'paper'}, PAPER",
    "{'method': 'disjoint'}, DISJOINT",
    "{'paths': 'hamiltonian'}, BALANCED",
    "{'max_detour': 2}, BALANCED",
    "{'paths': 'disjoint'}, DISJOINT",
    "{'paths': 'hamiltonian'; 'method': 'paper'}, PAPER",
    "{'paths': 'disjoint'; 'method': 'balanced'}, DISJOINT",
  })
  void method_ofARequest(String body, PlanRequest.Method method) throws RejectedException {
    assertEquals(method, read(body.replace(';', ',')).settings().method());
  }

  @Test
  void pathsThatTheMethodLacks_areRejected() {
    RejectedException e =
        assertThrows(
            RejectedException.class, () -> read("{'method': 'disjoint', 'paths': 'hamiltonian'}"));
    assertEquals(Optional.of("paths"), e.field());
  }

  @Test
  void emptyBody_asksForTheDefaults() throws RejectedException {
    MptcpRequest request = RequestFormat.read(new byte[0]);
    assertEquals(PlanRequest.Method.DISJOINT, request.settings().method());
    assertEquals(Optional.empty(), request.settings().perVlan());
    assertEquals(Optional.empty(), request.hosts());
  }

  @Test
  void host_isReadWhole() throws RejectedException {
    GivenHost host =
        read("{'hosts': [{'id': 'h1', 'address': '10.0.0.1/16', 'vlan': 100, 'tagged_by': 'switch',"
                + " 'mac': '02:00:00:00:00:01', 'switch': '00:00:00:00:00:00:00:07', 'port': '3',"
                + " 'addresses': ['10.0.0.2'], 'device': 'ens3'}]}")
            .hosts()
            .orElseThrow()
            .get(0);
    assertEquals("h1", host.id());
    assertEquals(16, host.prefixLength());
    assertEquals(Optional.of(100), host.vlan());
    assertEquals(Tagging.SWITCH, host.tagging());
    assertEquals(7, host.switchId().orElseThrow().getLong());
    assertEquals(3, host.port().orElseThrow().getPortNumber());
    assertEquals(1, host.aliases().size());
    assertEquals(Optional.of("ens3"), host.device());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | IPV4",
        "{'family': 'ipv6'} | IPV6",
        "{'hosts': []} | IPV4",
        "{'hosts': [{'address': '10.0.0.1'}]} | IPV4",
        "{'hosts': [{'address': 'FD00::0:1/48', 'addresses': ['fd00::2']}]} | IPV6"
      })
  void family_isThatOfTheHosts_unlessGiven(String text, IpFamily family) throws RejectedException {
    assertEquals(family, read(text).settings().family());
  }

  @Test
  void hostOfIpv6_isReadWhole() throws RejectedException {
    GivenHost host = read("{'hosts': [{'address': 'FD00::0:1'}]}").hosts().orElseThrow().get(0);
    assertEquals("fd00::1", host.address().toString());
    assertEquals("fd00::1", host.id());
    assertEquals(64, host.prefixLength());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'method': 'best'} | method",
        "{'paths': 7} | paths",
        "{'vlan': 'maybe'} | vlan",
        "{'vlans': [0]} | vlans",
        "{'vlans': [4095]} | vlans",
        "{'vlans': 100} | vlans",
        "{'seed': -1} | seed",
        "{'seed': 1, 'seed': 2} | seed",
        "{'weights': 'heavy'} | weights",
        "{'hostz': []} | hostz",
        "{'network': {}} | network",
        "{'traffic': [{'from': 'a'}]} | traffic[0].to",
        "{'traffic': [{'from': 'a', 'to': 'b', 'weight': 0}]} | traffic[0].weight",
        "{'hosts': {}} | hosts",
        "{'hosts': [{'id': 'a'}]} | hosts[0].address",
        "{'hosts': [{'address': '10.0.0'}]} | hosts[0].address",
        "{'hosts': [{'address': '10.0.0.1/31'}]} | hosts[0].address",
        "{'hosts': [{'address': '10.0.0.1/x'}]} | hosts[0].address",
        "{'hosts': [{'address': '10.0.0.1', 'id': 'a b'}]} | hosts[0].id",
        "{'hosts': [{'address': '10.0.0.1', 'vlan': 5000}]} | hosts[0].vlan",
        "{'hosts': [{'address': '10.0.0.1', 'tagged_by': 'host'}]} | hosts[0].tagged_by",
        "{'hosts': [{'address': '10.0.0.1', 'vlan': 5, 'tagged_by': 'none'}]} | hosts[0].tagged_by",
        "{'hosts': [{'address': '10.0.0.1', 'mac': 'x'}]} | hosts[0].mac",
        "{'hosts': [{'address': '10.0.0.1', 'switch': 's1'}]} | hosts[0].switch",
        "{'hosts': [{'address': '10.0.0.1', 'port': 0}]} | hosts[0].port",
        "{'hosts': [{'address': '10.0.0.1', 'addresses': ['no']}]} | hosts[0].addresses",
        "{'hosts': [{'address': '10.0.0.1', 'addresses': ['fd00::1']}]} | hosts[0].addresses",
        "{'hosts': [{'address': 'fd00::1', 'addresses': ['10.0.0.1']}]} | hosts[0].addresses",
        "{'hosts': [{'address': '10.0.0.1'}, {'address': 'fd00::1'}]} | hosts[1].address",
        "{'hosts': [{'address': 'fd00::1'}, {'address': '10.0.0.1'}]} | hosts[1].address",
        "{'family': 'ipv6', 'hosts': [{'address': '10.0.0.1'}]} | hosts[0].address",
        "{'family': 'ipv4', 'hosts': [{'address': 'fd00::1'}]} | hosts[0].address",
        "{'hosts': [{'address': 'fd00::1/0'}]} | hosts[0].address",
        "{'hosts': [{'address': 'fd00::1/121'}]} | hosts[0].address",
        "{'hosts': [{'address': 'fd00::1%1'}]} | hosts[0].address",
        "{'hosts': [{'address': 'fe80::1'}]} | hosts[0].address",
        "{'hosts': [{'address': 'ff02::1'}]} | hosts[0].address",
        "{'hosts': [{'address': '224.0.0.1'}]} | hosts[0].address",
        "{'hosts': [{'address': '::ffff:10.0.0.1'}]} | hosts[0].address",
        "{'family': 'ipv5'} | family",
        "{'family': 6} | family",
        "{'hosts': [{'address': '10.0.0.1', 'device': 'e; rm'}]} | hosts[0].device",
        "{'hosts': [{'address': '10.0.0.1'}, {'address': '10.0.0.1'}]} | hosts"
      })
  void mistake_namesItsField(String text, String field) {
    RejectedException refused = assertThrows(RejectedException.class, () -> read(text));
    assertEquals(RejectedException.Reason.INVALID, refused.reason());
    assertEquals(Optional.of(field), refused.field());
    assertTrue(String.valueOf(refused.getMessage()).contains(field), refused.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"{ | JSON", "[] | object", "{} {} | JSON"})
  void documentThatIsNoObject_isRefused(String text, String word) {
    RejectedException refused = assertThrows(RejectedException.class, () -> read(text));
    assertEquals(Optional.empty(), refused.field());
    assertTrue(String.valueOf(refused.getMessage()).contains(word), refused.getMessage());
  }
}
