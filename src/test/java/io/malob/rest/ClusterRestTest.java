package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.algorithm.graph.Topology;
import io.malob.module.ClusterView;
import io.malob.module.MastershipPolicy;
import io.malob.store.MemoryStore;
import io.malob.testing.Placements;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class ClusterRestTest {
  private static final String PATH = "/wm/malob/cluster";

  private RestServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  private static Optional<ClusterView> view(ClusterView.Problem... problems) {
    return Optional.of(
        new ClusterView(
            "b",
            true,
            1,
            7,
            MastershipPolicy.SPREAD,
            ImmutableList.of(
                new ClusterView.Member("a", "10.0.0.1:8080", 0, 2, false),
                new ClusterView.Member("b", "10.0.0.2:8080", 1, 1, true)),
            ImmutableMap.of(DatapathId.of(1), "a", DatapathId.of(2), "a"),
            ImmutableMap.of(
                DatapathId.of(1), ClusterView.Role.SLAVE, DatapathId.of(3), ClusterView.Role.STALE),
            ImmutableList.copyOf(problems)));
  }

  @Test
  void withoutCluster_itIsNull_andRequestsAreNotFound() throws Exception {
    assertEquals("{\"cluster\":null}", server.sendTo("GET", PATH, null).text());
    for (String request : List.of("/handover", "/generation-base")) {
      RestServer.Answer answer = server.sendTo("POST", PATH + request, "{}");
      assertEquals(404, answer.status());
      assertEquals("this controller belongs to no cluster", answer.error());
    }
  }

  @Test
  void cluster_showsNodesMastersAndRoles() throws Exception {
    server.cluster = view();
    assertEquals(
        "{\"cluster\":{\"name\":\"b\",\"member\":true,\"slot\":1,\"generation_base\":7,"
            + "\"mastership\":\"spread\",\"nodes\":["
            + "{\"name\":\"a\",\"rest\":\"10.0.0.1:8080\",\"slot\":0,\"switches\":2,\"reached\":false},"
            + "{\"name\":\"b\",\"rest\":\"10.0.0.2:8080\",\"slot\":1,\"switches\":1,\"reached\":true}],"
            + "\"switches\":["
            + "{\"switch\":\"00:00:00:00:00:00:00:01\",\"master\":\"a\",\"role\":\"slave\"},"
            + "{\"switch\":\"00:00:00:00:00:00:00:02\",\"master\":\"a\",\"role\":null},"
            + "{\"switch\":\"00:00:00:00:00:00:00:03\",\"master\":null,\"role\":\"stale\"}]}}",
        server.sendTo("GET", PATH, null).text());
  }

  @Test
  void requests_areAnsweredWithTheirResult() throws Exception {
    server.cluster = view();
    assertEquals("{\"handed_over\":3}", server.sendTo("POST", PATH + "/handover", null).text());
    assertEquals(
        "{\"generation_base\":90}",
        server.sendTo("POST", PATH + "/generation-base", "{\"minimum\":90}").text());
    assertEquals(
        "{\"generation_base\":0}", server.sendTo("POST", PATH + "/generation-base", "{}").text());
  }

  @Test
  void wrongMinimum_isRejectedWithItsName() throws Exception {
    server.cluster = view();
    for (String minimum : List.of("-1", "9223372036854775807")) {
      RestServer.Answer answer =
          server.sendTo("POST", PATH + "/generation-base", "{\"minimum\":" + minimum + "}");
      assertEquals(400, answer.status(), minimum);
      assertEquals("minimum", answer.field());
    }
  }

  @Test
  void mastership_isChanged_andOnlyToWhatThereIs() throws Exception {
    server.cluster = view();
    String path = PATH + "/mastership";
    assertEquals(
        "{\"mastership\":\"single\"}",
        server.sendTo("PUT", path, "{\"mastership\":\"single\"}").text());
    RestServer.Answer answer = server.sendTo("PUT", path, "{\"mastership\":\"both\"}");
    assertEquals(400, answer.status());
    assertEquals("mastership", answer.field());
    assertEquals(400, server.sendTo("PUT", path, "{}").status());
    server.cluster = Optional.empty();
    assertEquals(404, server.sendTo("PUT", path, "{\"mastership\":\"single\"}").status());
  }

  @Test
  void etcdThatDoesNotAnswer_is503() throws Exception {
    server.cluster = view();
    server.etcdAnswers = false;
    assertEquals(
        503, server.sendTo("PUT", PATH + "/mastership", "{\"mastership\":\"spread\"}").status());
    assertEquals(503, server.sendTo("POST", PATH + "/generation-base", "{}").status());
  }

  @Test
  void proactiveVip_whileSwitchesAreSpread_isAProblem() throws Exception {
    server.cluster = view();
    server.proactive.add(Placements.web());
    String found = server.sendTo("GET", "/wm/malob/problems", null).text();
    assertTrue(
        found.contains(
            "{\"reason\":\"several_masters\",\"kind\":\"vip\",\"id\":\"web\","
                + "\"problem\":\"VIP web is reactive: the cluster's policy spreads the switches"
                + " over controllers.\""),
        found);
  }

  @Test
  void standby_hasNoProblemWithSwitches_butWithEtcd() throws Exception {
    server.monitor.topology = Topology.of(List.of(), List.of());
    server.cluster = view();
    assertEquals("[]", server.sendTo("GET", "/wm/malob/problems", null).text());
    server.cluster = view(new ClusterView.Problem(ClusterView.Problem.Kind.ETCD_BEHIND, "Behind."));
    assertEquals(
        "[{\"reason\":\"etcd_behind\",\"kind\":null,\"id\":null,\"problem\":\"Behind.\","
            + "\"remedy\":\"Raise the base of generation ids.\","
            + "\"command\":\"./malob cluster raise-base\"}]",
        server.sendTo("GET", "/wm/malob/problems", null).text());
  }
}
