package io.malob.state.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.AddressKey;
import io.malob.algorithm.Algorithm;
import io.malob.json.RejectedException;
import io.malob.json.RejectedException.Reason;
import io.malob.state.catalog.AlgorithmChoice.Source;
import io.malob.store.MemoryStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.projectfloodlight.openflow.types.IPAddress;

/** The rules for VIPs, pools and members. */
class CatalogTest {
  private CatalogFixture fixture;
  private Catalog catalog;

  @BeforeEach
  void open() throws Exception {
    fixture = CatalogFixture.inMemory();
    catalog = fixture.catalog;
  }

  @Test
  void newVip_hasTheGivenFields_trimmed_andDefaultsForTheOthers() throws Exception {
    Vip vip = fixture.vip("id", " 1 ", "address", " 10.0.0.100", "protocol", "Tcp", "port", "80 ");
    assertEquals("1", vip.id());
    assertEquals("1", vip.name());
    assertEquals("10.0.0.100", vip.address().toString());
    assertEquals(Protocol.TCP, vip.protocol());
    assertEquals(80, vip.port());
    assertNull(vip.algorithm());
    assertEquals(vip, catalog.snapshot().vips().get("1"));
  }

  @ParameterizedTest
  @CsvSource({"port,0", "port,65536", "port,-1", "port,abc", "port,8.0", "port,99999999999"})
  @CsvSource({"address,10.0.0", "address,010.0.0.1", "address,10.0.0.256", "address,1.2.3.4.5"})
  @CsvSource({"address,0.0.0.0", "address,127.0.0.1", "address,224.0.0.1", "address,10.0.0.1."})
  @CsvSource({"address,255.255.255.255", "address,240.0.0.1", "protocol,sctp"})
  @CsvSource({"address,::", "address,::1", "address,ff02::1", "address,fe80::1", "address,fec0::1"})
  @CsvSource({"address,::ffff:10.0.0.1", "address,::ffff:a00:1", "address,2001:db8::1%eth0"})
  @CsvSource({"id,a b", "id,..", "id,a/b", "id,ä", "lb_method,fastest", "colour,red", "port,''"})
  void invalidValue_isRefusedWithItsField(String field, String value) {
    Fields fields = Fields.of("address", "10.0.0.100").with(field, value);
    fixture.refused(Reason.INVALID, field, () -> catalog.create(Catalog.VIPS, fields));
  }

  @Test
  void textsThatAreTooLong_areRefused() {
    fixture.refused(Reason.INVALID, "id", () -> fixture.pool("id", "x".repeat(65)));
    fixture.refused(Reason.INVALID, "name", () -> fixture.pool("name", "x".repeat(129)));
    fixture.refused(Reason.INVALID, "name", () -> fixture.pool("name", "a\u0007b"));
  }

  @Test
  void missingAddress_isRefused() {
    fixture.refused(Reason.INVALID, "address", () -> fixture.vip("port", "80"));
    fixture.refused(Reason.INVALID, "address", () -> fixture.member("address", null));
  }

  /** Floodlight's defect 7. */
  @ParameterizedTest
  @ValueSource(ints = {1, 32_767, 32_768, 50_000, 65_535})
  void everyPort_works(int port) throws Exception {
    Vip vip = fixture.vip("address", "10.0.0.100", "port", "" + port);
    fixture.member("address", "10.0.0.1", "port", "" + port);
    fixture.service("port", "" + port, "algorithm", "LC");
    assertSame(vip, find(Protocol.TCP, port));
  }

  @Test
  void icmpPort_isTheType() throws Exception {
    fixture.vip("address", "10.0.0.100", "protocol", "icmp", "port", "0");
    fixture.refused(
        Reason.INVALID,
        "port",
        () -> fixture.vip("address", "10.0.0.101", "protocol", "icmp", "port", "256"));
    fixture.pool("id", "ping", "protocol", "icmp");
    fixture.member("address", "10.0.0.1", "port", "0", "pool_id", "ping");
    fixture.refused(
        Reason.INVALID, "port", () -> fixture.member("address", "10.0.0.2", "port", "0"));
    fixture.refused(
        Reason.INVALID,
        "port",
        () -> fixture.member("address", "10.0.0.2", "port", "256", "pool_id", "ping"));
  }

  @Test
  void protocolsOfVipPoolAndMembers_mustAgree() throws Exception {
    fixture.vip("id", "v", "address", "10.0.0.100", "protocol", "tcp");
    fixture.refused(
        Reason.UNPROCESSABLE, "protocol", () -> fixture.pool("vip_id", "v", "protocol", "udp"));
    fixture.pool("id", "p", "vip_id", "v");
    fixture.member("address", "10.0.0.1", "port", "8080", "pool_id", "p");
    fixture.refused(Reason.UNPROCESSABLE, "protocol", () -> updateVip("v", "protocol", "icmp"));
    updateVip("v", "protocol", "udp");
    fixture.refused(
        Reason.UNPROCESSABLE,
        "protocol",
        () -> catalog.update(Catalog.POOLS, "p", Fields.of("protocol", "tcp")));
  }

  @Test
  void trafficOfTwoVips_mustDiffer() throws Exception {
    fixture.vip("id", "any", "address", "10.0.0.100");
    fixture.vip("id", "tcp", "address", "10.0.0.100", "protocol", "tcp");
    fixture.vip("id", "tcp80", "address", "10.0.0.100", "protocol", "tcp", "port", "80");
    fixture.vip("id", "80", "address", "10.0.0.100", "port", "80");
    fixture.refused(Reason.CONFLICT, "address", () -> fixture.vip("address", "10.0.0.100"));
    fixture.refused(Reason.CONFLICT, "address", () -> updateVip("any", "port", "80"));
    fixture.refused(Reason.CONFLICT, "address", () -> updateVip("tcp", "port", "80"));
  }

  @Test
  void references_mayBeAbsentButNotDangling() throws Exception {
    fixture.pool("id", "p");
    fixture.member("id", "m", "address", "10.0.0.1");
    fixture.refused(Reason.UNPROCESSABLE, "vip_id", () -> fixture.pool("vip_id", "none"));
    fixture.refused(
        Reason.UNPROCESSABLE,
        "pool_id",
        () -> catalog.update(Catalog.MEMBERS, "m", Fields.of("pool_id", "none")));
  }

  @Test
  void vip_hasOnePoolAtMost() throws Exception {
    fixture.vip("id", "v", "address", "10.0.0.100");
    fixture.pool("id", "p", "vip_id", "v");
    fixture.pool("id", "q");
    fixture.refused(
        Reason.CONFLICT,
        "vip_id",
        () -> catalog.update(Catalog.POOLS, "q", Fields.of("vip_id", "v")));
  }

  @Test
  void deletion_leavesNoReferenceBehind() throws Exception {
    fixture.vip("id", "v", "address", "10.0.0.100");
    fixture.pool("id", "p", "vip_id", "v");
    fixture.member("id", "m", "address", "10.0.0.1", "pool_id", "p");
    catalog.delete(Catalog.VIPS, "v");
    assertNull(catalog.snapshot().pools().get("p").vipId());
    catalog.delete(Catalog.POOLS, "p");
    assertNull(catalog.snapshot().members().get("m").poolId());
    assertEquals(List.of(), catalog.snapshot().membersOfPool("p"));
    fixture.refused(Reason.NOT_FOUND, null, () -> catalog.delete(Catalog.POOLS, "p"));
  }

  /** Floodlight's defect 5. */
  @Test
  void deletedVip_leavesNoAddress() throws Exception {
    fixture.vip("id", "80", "address", "10.0.0.100", "port", "80");
    fixture.vip("id", "81", "address", "10.0.0.100", "port", "81");
    int address = AddressKey.of(fixture.now().vips().get("80").address());
    catalog.delete(Catalog.VIPS, "80");
    assertTrue(catalog.snapshot().isVipAddress(address));
    catalog.delete(Catalog.VIPS, "81");
    assertFalse(catalog.snapshot().isVipAddress(address));
    assertTrue(catalog.snapshot().vipFor(address, Protocol.TCP, 80).isEmpty());
  }

  @Test
  void vlan_isOfItems_andUntaggedIfItIsNotGiven() throws Exception {
    assertEquals(0, fixture.vip("id", "v", "address", "10.0.0.100").vlan());
    assertEquals(100, updateVip("v", "vlan", "100").vlan());
    assertEquals(0, updateVip("v", "vlan", null).vlan());
    assertEquals(4094, fixture.member("address", "10.0.0.1", "vlan", "4094").vlan());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "4095", "-1", "a"})
  void vlanOutOfBounds_isRefused(String vlan) {
    fixture.refused(
        Reason.INVALID, "vlan", () -> fixture.vip("address", "10.0.0.100", "vlan", vlan));
    fixture.refused(
        Reason.INVALID, "vlan", () -> fixture.member("address", "10.0.0.1", "vlan", vlan));
  }

  @Test
  void vipsOfAnAddress_haveOneVlan() throws Exception {
    fixture.vip("id", "v", "address", "10.0.0.100", "port", "80", "vlan", "100");
    fixture.refused(
        Reason.CONFLICT, "vlan", () -> fixture.vip("address", "10.0.0.100", "port", "81"));
    fixture.vip("id", "w", "address", "10.0.0.100", "port", "81", "vlan", "100");
    fixture.vip("address", "10.0.0.101", "port", "80", "vlan", "200");
    fixture.refused(Reason.CONFLICT, "vlan", () -> updateVip("w", "vlan", "101"));
  }

  @Test
  void membersOfAnAddress_haveOneVlan() throws Exception {
    fixture.pool("id", "p");
    fixture.member("address", "10.0.0.1", "port", "80", "vlan", "100", "pool_id", "p");
    fixture.refused(
        Reason.CONFLICT,
        "vlan",
        () -> fixture.member("address", "10.0.0.1", "port", "81", "pool_id", "p"));
    fixture.member("address", "10.0.0.1", "port", "81", "vlan", "100", "pool_id", "p");
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.%d", "2001:db8::%d"})
  void vipsAndMembers_areFoundInTheirVlanOnly(String pattern) throws Exception {
    fixture.vip("address", String.format(pattern, 100), "port", "80", "vlan", "100");
    fixture.vip("address", String.format(pattern, 101), "port", "80");
    fixture.member("address", String.format(pattern, 1), "vlan", "200");
    CatalogSnapshot now = catalog.snapshot();
    IPAddress<?> tagged = IPAddress.of(String.format(pattern, 100));
    IPAddress<?> untagged = IPAddress.of(String.format(pattern, 101));
    IPAddress<?> member = IPAddress.of(String.format(pattern, 1));
    for (int vlan : new int[] {0, 100, 200}) {
      assertEquals(vlan == 100, now.isVipAddress(tagged, vlan));
      assertEquals(vlan == 100, now.isVipAddress(AddressKey.of(tagged), vlan));
      assertEquals(vlan == 0, now.isVipAddress(untagged, vlan));
      assertEquals(vlan == 0, now.isVipAddress(AddressKey.of(untagged), vlan));
      assertEquals(vlan == 200, now.isMemberAddress(member, vlan));
      assertFalse(now.isVipAddress(member, vlan));
      assertFalse(now.isVipAddress(AddressKey.of(member), vlan));
    }
    assertEquals(100, now.vlanOfVip(AddressKey.of(tagged)));
    assertEquals(0, now.vlanOfVip(AddressKey.of(untagged)));
    assertEquals(0, now.vlanOfVip(AddressKey.of(member)));
  }

  /** Floodlight's defect 6. */
  @Test
  void update_changesOnlyWhatItNames() throws Exception {
    Vip vip = fixture.vip("id", "v", "address", "10.0.0.100", "port", "80", "lb_method", "LC");
    Vip changed = updateVip("v", "name", "web");
    assertEquals(
        new Vip(
            vip.number(),
            "v",
            "web",
            null,
            vip.address(),
            0,
            80,
            vip.algorithm(),
            null,
            null,
            PlacementMode.REACTIVE,
            null,
            AdminState.UP,
            Notes.NONE),
        changed);
    assertNull(updateVip("v", "port", null).port());
    assertEquals("v", updateVip("v", "name", null).name());
    fixture.refused(Reason.INVALID, "address", () -> updateVip("v", "address", null));
    fixture.refused(Reason.INVALID, "id", () -> updateVip("v", "id", "w"));
  }

  @Test
  void members_areDifferentWithinTheirPool() throws Exception {
    fixture.pool("id", "p");
    fixture.pool("id", "q");
    fixture.member("id", "m", "address", "10.0.0.1", "port", "80", "pool_id", "p");
    fixture.member("address", "10.0.0.1", "port", "81", "pool_id", "p");
    fixture.member("address", "10.0.0.1", "port", "80", "pool_id", "q");
    fixture.member("id", "free", "address", "10.0.0.1", "port", "80");
    fixture.refused(
        Reason.CONFLICT,
        "address",
        () -> catalog.update(Catalog.MEMBERS, "free", Fields.of("pool_id", "p")));
  }

  @Test
  void noAddress_isOfAVipAndAMember() throws Exception {
    fixture.vip("address", "10.0.0.100", "port", "80");
    fixture.member("address", "10.0.0.1");
    fixture.refused(Reason.CONFLICT, "address", () -> fixture.member("address", "10.0.0.100"));
    fixture.refused(Reason.CONFLICT, "address", () -> fixture.vip("address", "10.0.0.1"));
  }

  @ParameterizedTest
  @CsvSource({"2001:DB8:0:0:0:0:0:64,2001:db8::64", "fd00:0:0:1::,fd00:0:0:1::"})
  void ipv6Address_isShownAsInRfc5952(String given, String shown) throws Exception {
    assertEquals(shown, Catalog.VIPS.shown(fixture.vip("address", given)).get("address"));
  }

  @Test
  void ipv6Addresses_areUniqueLikeThoseOfIpv4() throws Exception {
    fixture.vip("id", "v", "address", "2001:db8::64", "port", "80");
    fixture.vip("address", "2001:db8::64", "port", "81");
    fixture.pool("id", "p");
    fixture.member("address", "2001:db8::1", "port", "80", "pool_id", "p");
    fixture.refused(
        Reason.CONFLICT, "address", () -> fixture.vip("address", "2001:DB8::64", "port", "80"));
    fixture.refused(Reason.CONFLICT, "address", () -> fixture.member("address", "2001:db8::64"));
    fixture.refused(Reason.CONFLICT, "address", () -> fixture.vip("address", "2001:db8::1"));
    fixture.refused(
        Reason.CONFLICT,
        "address",
        () -> fixture.member("address", "2001:db8:0::1", "port", "80", "pool_id", "p"));
    assertEquals(
        "v",
        fixture
            .now()
            .vipFor(AddressKey.of(IPAddress.of("2001:db8::64")), Protocol.TCP, 80)
            .orElseThrow()
            .id());
  }

  /** Else their keys would be given to other addresses while packets are looked up by them. */
  @Test
  void keysOfAddresses_areToldToWhoFreesOthers() throws Exception {
    fixture.vip("address", "2001:db8::64");
    fixture.vip("address", "10.0.0.100");
    fixture.member("address", "2001:db8::1");
    Set<IPAddress<?>> told = new HashSet<>();
    fixture.now().addressKeys(key -> told.add(AddressKey.toAddress(key)));
    assertEquals(
        Set.of(
            IPAddress.of("2001:db8::64"), IPAddress.of("10.0.0.100"), IPAddress.of("2001:db8::1")),
        told);
  }

  @Test
  void pool_hasOneAddressFamily_inWhateverOrderItIsFilled() throws Exception {
    fixture.vip("id", "v4", "address", "10.0.0.100");
    fixture.vip("id", "v6", "address", "2001:db8::64");
    fixture.pool("id", "p4", "vip_id", "v4");
    fixture.pool("id", "p6");
    fixture.member("id", "m6", "address", "2001:db8::1", "pool_id", "p6");
    fixture.refused(
        Reason.UNPROCESSABLE,
        "address",
        () -> fixture.member("address", "10.0.0.1", "pool_id", "p6"));
    fixture.refused(
        Reason.UNPROCESSABLE,
        "address",
        () -> fixture.member("address", "2001:db8::2", "pool_id", "p4"));
    fixture.refused(
        Reason.UNPROCESSABLE,
        "pool_id",
        () -> catalog.update(Catalog.MEMBERS, "m6", Fields.of("pool_id", "p4")));
    catalog.delete(Catalog.POOLS, "p4");
    fixture.refused(
        Reason.UNPROCESSABLE,
        "vip_id",
        () -> catalog.update(Catalog.POOLS, "p6", Fields.of("vip_id", "v4")));
    catalog.update(Catalog.POOLS, "p6", Fields.of("vip_id", "v6"));
    fixture.refused(
        Reason.UNPROCESSABLE, "address", () -> updateVip("v6", "address", "10.0.0.101"));
    // its only member may have another address of the VIP's family, but no other family
    catalog.update(Catalog.MEMBERS, "m6", Fields.of("address", "2001:db8::2"));
    fixture.refused(
        Reason.UNPROCESSABLE,
        "address",
        () -> catalog.update(Catalog.MEMBERS, "m6", Fields.of("address", "10.0.0.1")));
  }

  @Test
  void loneMember_mayChangeItsFamily() throws Exception {
    fixture.pool("id", "p");
    fixture.member("id", "m", "address", "10.0.0.1", "pool_id", "p");
    catalog.update(Catalog.MEMBERS, "m", Fields.of("address", "2001:db8::1"));
    fixture.member("address", "2001:db8::2", "pool_id", "p");
  }

  @Test
  void allowedSources_areOfTheFamilyOfTheirVip() throws Exception {
    fixture.vip("id", "v", "address", "2001:db8::64", "allowed_sources", "2001:db8:1::/48");
    fixture.refused(
        Reason.INVALID, "allowed_sources", () -> updateVip("v", "allowed_sources", "10.0.0.0/8"));
    fixture.refused(
        Reason.INVALID, "allowed_sources", () -> updateVip("v", "address", "10.0.0.100"));
  }

  /** Floodlight's defect 10. */
  @ParameterizedTest
  @ValueSource(strings = {"-1", "257", "1.5", "heavy"})
  void weight_isBounded(String weight) throws Exception {
    assertEquals(1, fixture.member("address", "10.0.0.1").weight());
    fixture.refused(
        Reason.INVALID, "weight", () -> fixture.member("address", "10.0.0.2", "weight", weight));
    assertEquals(256, fixture.member("address", "10.0.0.3", "weight", "256").weight());
    assertEquals(0, fixture.member("address", "10.0.0.4", "weight", "0").weight());
  }

  @Test
  void algorithm_mustBeKnown() throws Exception {
    assertEquals("WRR+SPH", fixture.pool("lb_method", "wrr").algorithm().name());
    assertEquals("HT-PS", fixture.pool("lb_method", "2").algorithm().name());
    fixture.refused(Reason.INVALID, "lb_method", () -> fixture.pool("lb_method", "best"));
    RejectedException e =
        assertThrows(RejectedException.class, () -> fixture.pool("lb_method", "4"));
    assertTrue(e.getMessage().contains("SL-PS, HT-PS"), e.getMessage());
  }

  /** Floodlight's defect 8. */
  @Test
  void generatedIds_neverCollide() throws Exception {
    Iterator<String> ids = List.of("a", "a", "a", "b").iterator();
    CatalogFixture scripted =
        new CatalogFixture(new Catalog(new MemoryStore(Runnable::run), ids::next));
    assertEquals("a", scripted.pool().id());
    assertEquals("b", scripted.pool().id());
    Set<String> unique = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      unique.add(fixture.pool().id());
      if (i >= 500) {
        catalog.delete(Catalog.POOLS, catalog.snapshot().pools().keySet().iterator().next());
      }
    }
    assertEquals(20_000, unique.size());
    assertEquals(500, catalog.snapshot().pools().size());
  }

  @Test
  void numbers_areGivenAgainAsLateAsPossible() throws Exception {
    assertEquals(1, fixture.vip("id", "a", "address", "10.0.0.100", "port", "1").number());
    assertEquals(2, fixture.vip("id", "b", "address", "10.0.0.100", "port", "2").number());
    catalog.delete(Catalog.VIPS, "b");
    for (int port = 3; port <= Vip.MAX_NUMBER; port++) {
      Vip vip = fixture.vip("address", "10.0.0.100", "port", "" + port);
      assertEquals(port, vip.number());
    }
    assertEquals(2, fixture.vip("address", "10.0.0.100", "port", "2").number());
    fixture.refused(Reason.CONFLICT, "vips", () -> fixture.vip("address", "10.0.0.101"));
    assertEquals(1, updateVip("a", "name", "x").number());
  }

  @Test
  void listener_isToldOfEachChangeInOrder_andCannotUndoIt() throws Exception {
    List<CatalogSnapshot> told = new ArrayList<>(List.of(catalog.snapshot()));
    catalog.addListener(
        (before, after) -> {
          throw new IllegalStateException("expected in this test");
        });
    catalog.addListener(
        (before, after) -> {
          assertSame(told.get(told.size() - 1), before);
          assertSame(after, catalog.snapshot());
          told.add(after);
        });
    fixture.pool("id", "p");
    catalog.update(Catalog.POOLS, "p", Fields.of("name", "x"));
    catalog.update(Catalog.POOLS, "p", Fields.of("name", "x"));
    catalog.delete(Catalog.POOLS, "p");
    assertEquals(4, told.size());
  }

  @Test
  void listener_cannotWrite() throws Exception {
    List<Throwable> thrown = new ArrayList<>();
    catalog.addListener(
        (before, after) ->
            thrown.add(assertThrows(IllegalStateException.class, () -> fixture.pool("id", "q"))));
    fixture.pool("id", "p");
    assertEquals(1, thrown.size());
    assertEquals(Set.of("p"), catalog.snapshot().pools().keySet());
  }

  @Test
  void parallelWriters_loseNothing() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < 8; writer++) {
        String prefix = "w" + writer + "-";
        writers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 100; i++) {
                    fixture.member("id", prefix + i, "address", "10.1.0.1");
                  }
                  return null;
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(800, catalog.snapshot().members().size());
    assertEquals(
        800, catalog.snapshot().members().values().stream().map(Member::number).distinct().count());
  }

  @Test
  void algorithm_comesFromVip_thenPool_thenService_thenDefault() throws Exception {
    Vip vip = fixture.vip("address", "10.0.0.100", "lb_method", "LC");
    Vip plain = fixture.vip("address", "10.0.0.101");
    Pool pool = fixture.pool("lb_method", "WRR");
    Pool plainPool = fixture.pool();
    fixture.service("port", "53", "algorithm", "LC");
    fixture.service("port", "53", "protocol", "udp", "algorithm", "WRR");
    CatalogSnapshot now = fixture.now();
    assertEquals("LC+SPH", now.algorithmFor(vip, pool, Protocol.TCP, 53).name());
    assertEquals("WRR+SPH", now.algorithmFor(plain, pool, Protocol.TCP, 53).name());
    assertEquals("LC+SPH", now.algorithmFor(plain, plainPool, Protocol.TCP, 53).name());
    assertEquals("WRR+SPH", now.algorithmFor(plain, plainPool, Protocol.UDP, 53).name());
    assertEquals(Algorithm.DEFAULT, now.algorithmFor(plain, null, Protocol.TCP, 54));
  }

  @Test
  void choice_saysWhatNamesTheAlgorithm() throws Exception {
    Vip vip = fixture.vip("address", "10.0.0.100", "lb_method", "LC");
    Vip plain = fixture.vip("address", "10.0.0.101");
    Pool pool = fixture.pool("lb_method", "WRR");
    Pool plainPool = fixture.pool();
    Service any = fixture.service("port", "53", "algorithm", "LC");
    Service udp = fixture.service("port", "53", "protocol", "udp", "algorithm", "WRR");
    CatalogSnapshot now = fixture.now();
    Service byDefault = now.services().get(Service.DEFAULT_ID);

    assertEquals(
        new AlgorithmChoice(vip.algorithm(), Source.VIP, vip),
        now.choiceFor(vip, pool, Protocol.TCP, 53));
    assertEquals(
        new AlgorithmChoice(pool.algorithm(), Source.POOL, pool),
        now.choiceFor(plain, pool, Protocol.TCP, 53));
    assertEquals(
        new AlgorithmChoice(any.algorithm(), Source.SERVICE, any),
        now.choiceFor(plain, plainPool, Protocol.TCP, 53));
    assertEquals(
        new AlgorithmChoice(udp.algorithm(), Source.SERVICE, udp),
        now.choiceFor(plain, plainPool, Protocol.UDP, 53));
    assertEquals(
        new AlgorithmChoice(byDefault.algorithm(), Source.DEFAULT, byDefault),
        now.choiceFor(plain, null, Protocol.TCP, 54));
  }

  private Vip find(Protocol protocol, int port) {
    int address = AddressKey.of(catalog.snapshot().vips().values().iterator().next().address());
    return catalog.snapshot().vipFor(address, protocol, port).orElseThrow();
  }

  private Vip updateVip(String id, String field, String value) throws RejectedException {
    return catalog.update(Catalog.VIPS, id, Fields.of(field, value));
  }
}
