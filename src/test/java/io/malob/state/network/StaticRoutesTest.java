package io.malob.state.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.file.DamagedException;
import io.malob.store.FileStore;
import io.malob.store.MemoryStore;
import io.malob.testing.ReaderFuzz;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.IPAddress;

class StaticRoutesTest {
  private static final IPAddress<?> ROUTER = IPAddress.of("10.0.0.1");
  private static final IPAddress<?> OTHER = IPAddress.of("10.0.0.2");
  private static final IPAddress<?> ROUTER6 = IPAddress.of("2001:db8::1");

  @TempDir Path directory;

  private static Prefix prefix(String text) {
    String[] parts = text.split("/", -1);
    return Prefix.parse(parts[0], parts[1]).orElseThrow();
  }

  private static Optional<IPAddress<?>> nextHop(StaticRoutes routes, String address) {
    return routes.find(IPAddress.of(address)).map(StaticRoutes.Route::nextHop);
  }

  private StaticRoutes open() throws IOException {
    return StaticRoutes.open(FileStore.inDirectory(directory, Runnable::run));
  }

  @Test
  void route_isThatOfTheLongestPrefix_inItsFamily() throws Exception {
    StaticRoutes routes = open();
    routes.set(prefix("10.2.0.0/16"), ROUTER);
    routes.set(prefix("10.2.3.0/24"), OTHER);
    routes.set(prefix("::/0"), ROUTER6);
    assertEquals(Optional.of(ROUTER), nextHop(routes, "10.2.2.1"));
    assertEquals(Optional.of(OTHER), nextHop(routes, "10.2.3.1"));
    assertEquals(Optional.empty(), nextHop(routes, "10.3.0.1"));
    assertEquals(Optional.of(ROUTER6), nextHop(routes, "2001:db8:9::1"));
  }

  @Test
  void routes_areThereAfterARestart_untilTheyAreRemoved() throws Exception {
    StaticRoutes routes = open();
    routes.set(prefix("10.2.0.0/16"), ROUTER);
    routes.set(prefix("2001:db8:2::/48"), ROUTER6);
    StaticRoutes again = open();
    assertEquals(
        Map.of(prefix("10.2.0.0/16"), ROUTER, prefix("2001:db8:2::/48"), ROUTER6), again.all());
    assertEquals(Optional.of(ROUTER), nextHop(again, "10.2.2.1"));
    assertEquals(Optional.of(ROUTER), again.remove(prefix("10.2.0.0/16")));
    assertEquals(Optional.empty(), nextHop(again, "10.2.2.1"));
    assertEquals(1, open().all().size());
  }

  @Test
  void changes_alsoOfOtherControllers_areTold() throws Exception {
    MemoryStore store = new MemoryStore(Runnable::run);
    StaticRoutes ours = StaticRoutes.open(store);
    List<Integer> told = new ArrayList<>();
    ours.addListener(() -> told.add(ours.all().size()));
    StaticRoutes.open(store).set(prefix("10.2.0.0/16"), ROUTER);
    assertEquals(Optional.of(ROUTER), nextHop(ours, "10.2.2.1"));
    ours.remove(prefix("10.2.0.0/16"));
    assertEquals(List.of(1, 0), told);
  }

  @ParameterizedTest
  @CsvSource({"10.2.0.0/16, 2001:db8::1", "2001:db8:2::/48, 10.0.0.1", "10.2.0.0/16, 224.0.0.1"})
  void nextHop_thatCannotBe_isRejected(String destination, String nextHop) throws Exception {
    StaticRoutes routes = open();
    assertThrows(
        IllegalArgumentException.class,
        () -> routes.set(prefix(destination), IPAddress.of(nextHop)));
    assertTrue(routes.all().isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"10.2.0.1, 16", "10.2.0.0, 33", "10.2.0.0, 016", "10.2.0.0, -1", "x, 8", "::, 129"})
  void prefix_thatIsNone_isRejected(String address, String length) {
    assertEquals(Optional.empty(), Prefix.parse(address, length));
  }

  @Test
  void spoiledRoutes_areReadOrRefused() throws Exception {
    new ReaderFuzz(
            "{'version':1,'routes':[{'destination':'10.2.0.0/16','next_hop':'10.0.0.1'},"
                + "{'destination':'2001:db8:2::/48','next_hop':'2001:db8::1'}]}")
        .check(RouteFormat::read, e -> e instanceof DamagedException);
  }

  @Test
  void subnetOfTheBalancer_isReachedDirectly_unlessARouteIsLonger() throws Exception {
    StaticRoutes routes = open();
    Routing routing =
        new Routing(
            SelfAddresses.parse("10.0.0.200/24, 10.4.0.200/24").orElseThrow(), routes::find);
    routes.set(prefix("0.0.0.0/0"), ROUTER);
    routes.set(prefix("10.0.0.128/25"), IPAddress.of("10.4.0.1"));
    assertEquals(Optional.empty(), routing.routerTo(IPAddress.of("10.0.0.7")));
    assertEquals(Optional.empty(), routing.routerTo(ROUTER));
    assertEquals(Optional.of(ROUTER), routing.routerTo(IPAddress.of("192.0.2.7")));
    assertEquals(
        Optional.of(IPAddress.of("10.0.0.200")), routing.sourceTo(IPAddress.of("192.0.2.7"), 0));
    assertEquals(IPAddress.of("10.4.0.1"), routing.nextHop(IPAddress.of("10.0.0.130")));
    assertEquals(
        Optional.of(IPAddress.of("10.4.0.200")), routing.sourceTo(IPAddress.of("10.0.0.130"), 0));
    assertEquals(Optional.empty(), routing.sourceTo(IPAddress.of("10.0.0.130"), 100));
    assertEquals(Optional.empty(), Routing.DIRECT.routerTo(IPAddress.of("192.0.2.7")));
  }
}
