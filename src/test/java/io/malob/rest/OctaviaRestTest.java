package io.malob.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.base.Splitter;
import io.malob.algorithm.health.Health;
import io.malob.balancer.api.IBalancerService.CatalogEffect;
import io.malob.balancer.api.MemberStats;
import io.malob.rest.RestServer.Answer;
import io.malob.state.catalog.Catalog;
import io.malob.store.MemoryStore;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** OpenStack's API for load balancers, on the same catalog as /quantum/v1.0. */
class OctaviaRestTest {
  private static RestServer server;

  private String balancer;
  private String listener;
  private String pool;
  private String one;
  private String two;

  @BeforeAll
  static void start() throws Exception {
    server = new RestServer(new MemoryStore(Runnable::run));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  /** A load balancer with a listener, a pool, and two members. */
  @BeforeEach
  void setUp() throws Exception {
    server.effect = CatalogEffect.IN_FORCE;
    server.afterEdit = () -> {};
    server.clear();
    balancer = made("loadbalancers", "loadbalancer", "'name':'web','vip_address':'10.0.0.100'");
    listener =
        made(
            "listeners",
            "listener",
            "'loadbalancer_id':'%s','protocol':'TCP','protocol_port':80,'name':'http'"
                .formatted(balancer));
    pool =
        made(
            "pools",
            "pool",
            "'listener_id':'%s','protocol':'TCP','lb_algorithm':'ROUND_ROBIN'".formatted(listener));
    one = member("10.0.0.1");
    two = member("10.0.0.2");
  }

  private String member(String address) throws Exception {
    return made(
        "pools/" + pool + "/members",
        "member",
        "'address':'%s','protocol_port':8080,'weight':3".formatted(address));
  }

  private static Answer send(String method, String path, String body) throws Exception {
    return server.sendTo(
        method, "/v2.0/lbaas/" + path, body == null ? null : body.replace('\'', '"'));
  }

  private static JsonNode get(String path) throws Exception {
    Answer answer = send("GET", path, null);
    assertEquals(200, answer.status(), answer.text());
    return answer.json();
  }

  private static Answer post(String path, String noun, String attributes) throws Exception {
    return send("POST", path, "{'%s':{%s}}".formatted(noun, attributes));
  }

  /** Returns the new object's id. */
  private static String made(String path, String noun, String attributes) throws Exception {
    Answer answer = post(path, noun, attributes);
    assertEquals(201, answer.status(), answer.text());
    return answer.json().get(noun).get("id").asText();
  }

  private static JsonNode put(String path, String noun, String attributes) throws Exception {
    Answer answer = send("PUT", path, "{'%s':{%s}}".formatted(noun, attributes));
    assertEquals(200, answer.status(), answer.text());
    return answer.json().get(noun);
  }

  private static void refused(int status, String word, Answer answer) {
    assertEquals(status, answer.status(), answer.text());
    assertTrue(answer.json().get("faultstring").asText().contains(word), answer.text());
    assertEquals(status < 500 ? "Client" : "Server", answer.json().get("faultcode").asText());
    assertTrue(answer.json().has("debuginfo"), answer.text());
  }

  private static List<String> ids(JsonNode references) {
    List<String> ids = new ArrayList<>();
    references.forEach(each -> ids.add(each.get("id").asText()));
    return ids;
  }

  private void located(String... ids) {
    for (String id : ids) {
      server.stats.put(
          id, new MemberStats(2, 5, OptionalInt.empty(), 0, 0, true, Health.UNCHECKED, 1));
    }
  }

  private String status(String path, String noun) throws Exception {
    return get(path).get(noun).get("operating_status").asText();
  }

  // --- one model -------------------------------------------------------------------------------

  @Test
  void whatIsMadeHere_isInTheCatalog() throws Exception {
    assertEquals(
        "10.0.0.100", server.get("/load_balancers/" + balancer).json().get("address").asText());
    assertEquals("10.0.0.100", server.get("/vips/" + listener).json().get("address").asText());
    assertEquals(listener, server.get("/pools/" + pool).json().get("vip_id").asText());
    assertEquals("WRR+SPH", server.get("/pools/" + pool).json().get("lb_method").asText());
    assertEquals(8080, server.get("/members/" + one).json().get("port").asInt());
  }

  @Test
  void vipOfOperators_isAListenerOfALoadBalancerThatTheFirstChangeStores() throws Exception {
    server.put("/vips/dns", "{\"address\":\"10.0.0.200\",\"protocol\":\"udp\",\"port\":53}");

    JsonNode found = get("loadbalancers?vip_address=10.0.0.200").get("loadbalancers");

    assertEquals(1, found.size());
    String id = found.get(0).get("id").asText();
    assertEquals(List.of("dns"), ids(found.get(0).get("listeners")));
    assertEquals(id, get("listeners/dns").at("/listener/loadbalancers/0/id").asText());
    assertEquals(404, server.get("/load_balancers/" + id).status());
    put("loadbalancers/" + id, "loadbalancer", "'name':'dns'");
    assertEquals("dns", get("loadbalancers/" + id).at("/loadbalancer/name").asText());
    assertEquals("dns", server.get("/load_balancers/" + id).json().get("name").asText());
  }

  /** Terraform, for one, sends an empty name to remove one, and expects to read it. */
  @Test
  void emptyName_staysEmpty() throws Exception {
    String unnamed = made("loadbalancers", "loadbalancer", "'vip_address':'10.0.0.110'");
    assertEquals("", get("loadbalancers/" + unnamed).at("/loadbalancer/name").asText("none"));
    assertEquals("", get("pools/" + pool).at("/pool/name").asText("none"));
    String member = "pools/" + pool + "/members/" + one;
    assertEquals("", get(member).at("/member/name").asText("none"));

    put("listeners/" + listener, "listener", "'name':''");
    put("loadbalancers/" + balancer, "loadbalancer", "'name':null");
    put("pools/" + pool, "pool", "'description':'d'");

    assertEquals("", get("listeners/" + listener).at("/listener/name").asText("none"));
    assertEquals("", server.get("/vips/" + listener).json().get("name").asText("none"));
    assertEquals("", get("loadbalancers/" + balancer).at("/loadbalancer/name").asText("none"));
    assertEquals("", get("pools/" + pool).at("/pool/name").asText("none"));
  }

  /** The stored load balancer has the id that its former address gives to others. */
  @Test
  void loadBalancerThatMoves_leavesItsVipsToAnother() throws Exception {
    server.put("/vips/dns", "{\"address\":\"10.0.0.200\",\"protocol\":\"udp\",\"port\":53}");
    String moved = get("listeners/dns").at("/listener/loadbalancers/0/id").asText();
    put("loadbalancers/" + moved, "loadbalancer", "'name':'dns'");

    server.put("/load_balancers/" + moved, "{\"address\":\"10.0.0.201\"}");

    for (String list : List.of("loadbalancers", "listeners", "pools", "healthmonitors")) {
      get(list);
    }
    assertEquals(
        "10.0.0.201", get("loadbalancers/" + moved).at("/loadbalancer/vip_address").asText());
    String other = get("listeners/dns").at("/listener/loadbalancers/0/id").asText();
    assertNotEquals(moved, other);
    put("loadbalancers/" + other, "loadbalancer", "'name':'still dns'");
    assertEquals(
        "10.0.0.200", server.get("/load_balancers/" + other).json().get("address").asText());
  }

  @Test
  void poolOfOperators_hasNoLoadBalancer() throws Exception {
    server.put("/pools/own", "{\"lb_method\":\"SL-PS\"}");

    JsonNode own = get("pools/own").get("pool");

    assertEquals(0, own.get("loadbalancers").size());
    assertEquals("SL-PS", own.get("lb_algorithm").asText());
    assertEquals("malob:algorithm=SL-PS", own.get("tags").get(0).asText());
  }

  @Test
  void notesAndIdsOfOtherServices_areKept() throws Exception {
    String id =
        made(
            "loadbalancers",
            "loadbalancer",
            "'vip_address':'10.0.0.101','vip_subnet_id':'s1','project_id':'p1','description':'a,"
                + " b','tags':['x','y']");

    JsonNode shown = get("loadbalancers/" + id).get("loadbalancer");

    assertEquals("s1", shown.get("vip_subnet_id").asText());
    assertEquals("p1", shown.get("project_id").asText());
    assertEquals("p1", shown.get("tenant_id").asText());
    assertEquals("a, b", shown.get("description").asText());
    assertEquals(2, shown.get("tags").size());
    put("loadbalancers/" + id, "loadbalancer", "'description':null,'tags':[]");
    shown = get("loadbalancers/" + id).get("loadbalancer");
    assertEquals("", shown.get("description").asText());
    assertEquals(0, shown.get("tags").size());
    assertEquals("s1", shown.get("vip_subnet_id").asText());
  }

  @Test
  void idsOfOtherServices_canBeChanged() throws Exception {
    String path =
        "loadbalancers/"
            + made(
                "loadbalancers",
                "loadbalancer",
                "'vip_address':'10.0.0.101','vip_qos_policy_id':'q1','tenant_id':'p1'");

    put(path, "loadbalancer", "'vip_qos_policy_id':'q2'");

    JsonNode shown = get(path).get("loadbalancer");
    assertEquals("q2", shown.get("vip_qos_policy_id").asText());
    assertEquals("p1", shown.get("project_id").asText());
    put(path, "loadbalancer", "'vip_qos_policy_id':null");
    assertTrue(get(path).get("loadbalancer").get("vip_qos_policy_id").isNull());
  }

  // --- load balancers --------------------------------------------------------------------------

  @Test
  void emptyLoadBalancer_isOnlineAndStays() throws Exception {
    String id = made("loadbalancers", "loadbalancer", "'vip_address':'2001:db8::1'");

    JsonNode shown = get("loadbalancers/" + id).get("loadbalancer");

    assertEquals("ONLINE", shown.get("operating_status").asText());
    assertEquals("ACTIVE", shown.get("provisioning_status").asText());
    assertEquals("malob", shown.get("provider").asText());
    assertEquals(id.length(), 36);
  }

  @Test
  void loadBalancerWithAnAddressInUse_isRefused() throws Exception {
    refused(
        409, "vip_address", post("loadbalancers", "loadbalancer", "'vip_address':'10.0.0.100'"));
    refused(409, "10.0.0.1", post("loadbalancers", "loadbalancer", "'vip_address':'10.0.0.1'"));
    refused(400, "vip_address", post("loadbalancers", "loadbalancer", "'name':'x'"));
  }

  @Test
  void wholeLoadBalancer_isMadeInOneRequest() throws Exception {
    String id =
        made(
            "loadbalancers",
            "loadbalancer",
            "'vip_address':'10.0.0.102','listeners':[{'protocol':'TCP','protocol_port':80,"
                + "'default_pool':{'protocol':'TCP','lb_algorithm':'LEAST_CONNECTIONS',"
                + "'members':[{'address':'10.0.0.5','protocol_port':80}],"
                + "'healthmonitor':{'type':'TCP','delay':5,'timeout':2,'max_retries':2}}}]");

    JsonNode tree = get("loadbalancers/" + id + "/status").at("/statuses/loadbalancer");

    assertEquals("10.0.0.5", tree.at("/listeners/0/pools/0/members/0/address").asText());
    assertEquals("TCP", tree.at("/pools/0/healthmonitor/type").asText());
  }

  @Test
  void wholeLoadBalancerWithOneWrongPart_isNotMadeAtAll() throws Exception {
    int before = get("loadbalancers").get("loadbalancers").size();

    refused(
        400,
        "protocol_port",
        post(
            "loadbalancers",
            "loadbalancer",
            "'vip_address':'10.0.0.103','listeners':[{'protocol':'TCP','protocol_port':80},"
                + "{'protocol':'TCP','protocol_port':70000}]"));

    assertEquals(before, get("loadbalancers").get("loadbalancers").size());
    assertEquals(1, get("listeners").get("listeners").size());
  }

  @Test
  void deletion_needsCascadeWhileThereAreListeners() throws Exception {
    refused(409, "cascade", send("DELETE", "loadbalancers/" + balancer, null));

    assertEquals(204, send("DELETE", "loadbalancers/" + balancer + "?cascade=True", null).status());

    for (String each : List.of("load_balancers", "vips", "pools", "members")) {
      assertEquals(0, server.get("/" + each).json().size(), each);
    }
  }

  @Test
  void downLoadBalancer_isOffline() throws Exception {
    put("loadbalancers/" + balancer, "loadbalancer", "'admin_state_up':false");
    assertEquals("OFFLINE", status("loadbalancers/" + balancer, "loadbalancer"));
    assertEquals(
        "down", server.get("/load_balancers/" + balancer).json().get("admin_state").asText());
  }

  @ParameterizedTest
  @CsvSource({
    "loadbalancers, loadbalancer, additional_vips vip_sg_ids availability_zone",
    "listeners, listener, default_tls_container_ref sni_container_refs client_ca_tls_container_ref"
        + " client_crl_container_ref client_authentication tls_ciphers tls_versions alpn_protocols"
        + " hsts_max_age hsts_include_subdomains hsts_preload insert_headers l7policies"
        + " timeout_client_data timeout_member_connect timeout_member_data timeout_tcp_inspect",
    "pools, pool, tls_enabled tls_container_ref ca_tls_container_ref crl_container_ref tls_ciphers"
        + " tls_versions alpn_protocols",
    "pools/POOL/members, member, request_sriov",
    "healthmonitors, healthmonitor, domain_name",
  })
  void attributeWithoutCounterpart_isRefusedUnlessItAsksForNothing(
      String path, String noun, String names) throws Exception {
    for (String name : Splitter.on(" ").split(names)) {
      Answer answer = post(path.replace("POOL", pool), noun, "'%s':'x'".formatted(name));
      assertEquals(501, answer.status(), name + answer.text());
      answer = post(path.replace("POOL", pool), noun, "'%s':null".formatted(name));
      assertEquals(400, answer.status(), name + answer.text());
      assertFalse(answer.text().contains("no attribute"), answer.text());
    }
  }

  @Test
  void failover_saysWhyThereIsNone() throws Exception {
    refused(501, "controller", send("PUT", "loadbalancers/" + balancer + "/failover", null));
  }

  // --- listeners -------------------------------------------------------------------------------

  @Test
  void listener_hasLimitsAndNetworks() throws Exception {
    put(
        "listeners/" + listener,
        "listener",
        "'connection_limit':100,'allowed_cidrs':['10.0.0.0/24','10.1.0.0/16']");
    JsonNode vip = server.get("/vips/" + listener).json();
    assertEquals(100, vip.get("connection_limit").asInt());
    assertEquals(2, vip.get("allowed_sources").size());

    JsonNode shown =
        put("listeners/" + listener, "listener", "'connection_limit':-1,'allowed_cidrs':null");

    assertEquals(-1, shown.get("connection_limit").asInt());
    assertTrue(shown.get("allowed_cidrs").isNull());
    assertTrue(server.get("/vips/" + listener).json().get("connection_limit").isNull());
  }

  @Test
  void newListener_hasTheVlanOfItsAddress() throws Exception {
    server.sendTo("PUT", "/quantum/v1.0/vips/" + listener, "{\"vlan\":100}");
    String other =
        made(
            "listeners",
            "listener",
            "'loadbalancer_id':'%s','protocol':'TCP','protocol_port':81".formatted(balancer));
    JsonNode vip = server.sendTo("GET", "/quantum/v1.0/vips/" + other, null).json();
    assertEquals(100, vip.get("vlan").asInt());
  }

  @Test
  void tagOfAListener_choosesThePlacement() throws Exception {
    JsonNode shown =
        put("listeners/" + listener, "listener", "'tags':['malob:placement=proactive','mine']");
    assertEquals("proactive", server.get("/vips/" + listener).json().get("placement").asText());
    assertEquals(1, server.get("/vips/" + listener).json().get("tags").size());
    assertEquals(2, shown.get("tags").size());

    put("listeners/" + listener, "listener", "'tags':['mine']");

    assertEquals("reactive", server.get("/vips/" + listener).json().get("placement").asText());
    refused(
        400,
        "malob:placement",
        send("PUT", "listeners/" + listener, "{'listener':{'tags':['malob:algorithm=SL-PS']}}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'protocol':'HTTP','protocol_port':81 | 501 | TCP",
        "'protocol':'TERMINATED_HTTPS','protocol_port':81 | 501 | TLS",
        "'protocol':'TCP','protocol_port':81,'timeout_client_data':1000 | 501 |"
            + " timeout_client_data",
        "'protocol':'TCP','protocol_port':81,'insert_headers':{'X-Forwarded-For':'true'} | 501 |"
            + " HTTP",
        "'protocol':'TCP' | 400 | protocol_port",
        "'protocol':'TCP','protocol_port':80 | 409 | protocol_port",
        "'protocol':'TCP','protocol_port':81,'nonsense':1 | 400 | nonsense",
        "'protocol':'TCP','protocol_port':81,'connection_limit':-2 | 400 | connection_limit",
      })
  void listenerThatCannotBe_isRefused(String attributes, int status, String word) throws Exception {
    refused(
        status,
        word,
        post("listeners", "listener", "'loadbalancer_id':'" + balancer + "'," + attributes));
  }

  @Test
  void attributesWithoutEffectThatAreEmpty_areAccepted() throws Exception {
    made(
        "listeners",
        "listener",
        "'loadbalancer_id':'%s','protocol':'UDP','protocol_port':53,'insert_headers':{},"
                .formatted(balancer)
            + "'sni_container_refs':[],'default_tls_container_ref':null,'l7policies':[]");
  }

  @Test
  void pool_canMoveToAnotherListenerOfItsLoadBalancer() throws Exception {
    String other =
        made(
            "listeners",
            "listener",
            "'loadbalancer_id':'%s','protocol':'TCP','protocol_port':81".formatted(balancer));
    refused(
        409,
        "default_pool_id",
        send("PUT", "listeners/" + other, "{'listener':{'default_pool_id':'" + pool + "'}}"));
    put("listeners/" + listener, "listener", "'default_pool_id':null");
    assertEquals(balancer, get("pools/" + pool).at("/pool/loadbalancers/0/id").asText());

    put("listeners/" + other, "listener", "'default_pool_id':'" + pool + "'");

    assertEquals(other, server.get("/pools/" + pool).json().get("vip_id").asText());
  }

  @Test
  void poolStays_whenItsListenerIsDeleted() throws Exception {
    assertEquals(204, send("DELETE", "listeners/" + listener, null).status());

    JsonNode shown = get("pools/" + pool).get("pool");
    assertEquals(List.of(balancer), ids(shown.get("loadbalancers")));
    assertEquals(List.of(one, two), ids(shown.get("members")));
  }

  @Test
  void stats_countConnections() throws Exception {
    located(one, two);
    JsonNode stats = get("listeners/" + listener + "/stats").get("stats");
    assertEquals(10, stats.get("total_connections").asInt());
    assertTrue(stats.get("bytes_in").isNull());
    assertEquals(
        10, get("loadbalancers/" + balancer + "/stats").at("/stats/total_connections").asInt());
  }

  // --- pools -----------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({"ROUND_ROBIN,WRR+SPH", "LEAST_CONNECTIONS,LC+SPH", "SOURCE_IP,WRR+SPH"})
  void algorithms_mapToMalobs(String octavias, String malobs) throws Exception {
    JsonNode shown = put("pools/" + pool, "pool", "'lb_algorithm':'" + octavias + "'");
    JsonNode stored = server.get("/pools/" + pool).json();
    assertEquals(octavias, shown.get("lb_algorithm").asText());
    assertEquals(malobs, stored.get("lb_method").asText());
    assertEquals(octavias.equals("SOURCE_IP"), !stored.get("session_persistence").isNull());
    assertTrue(shown.get("session_persistence").isNull());
    assertEquals(0, shown.get("tags").size());

    shown = put("pools/" + pool, "pool", "'lb_algorithm':'ROUND_ROBIN'");

    assertEquals("ROUND_ROBIN", shown.get("lb_algorithm").asText());
    assertTrue(server.get("/pools/" + pool).json().get("session_persistence").isNull());
  }

  @Test
  void tagOfAPool_choosesAnyAlgorithm() throws Exception {
    JsonNode shown = put("pools/" + pool, "pool", "'tags':['malob:algorithm=SL-PS']");
    assertEquals("SL-PS", server.get("/pools/" + pool).json().get("lb_method").asText());
    assertEquals("ROUND_ROBIN", shown.get("lb_algorithm").asText());
    assertEquals("malob:algorithm=SL-PS", shown.get("tags").get(0).asText());
    put("pools/" + pool, "pool", "'name':'other'");
    assertEquals("SL-PS", server.get("/pools/" + pool).json().get("lb_method").asText());

    put("pools/" + pool, "pool", "'tags':[]");

    assertEquals("WRR+SPH", server.get("/pools/" + pool).json().get("lb_method").asText());
    refused(
        400, "SL-PZ", send("PUT", "pools/" + pool, "{'pool':{'tags':['malob:algorithm=SL-PZ']}}"));
  }

  @Test
  void algorithmOfOperators_isShownByTag() throws Exception {
    server.put("/pools/" + pool, "{\"lb_method\":\"HT-PS\"}");
    JsonNode shown = get("pools/" + pool).get("pool");
    assertEquals("HT-PS", shown.get("lb_algorithm").asText());
    assertEquals("malob:algorithm=HT-PS", shown.get("tags").get(0).asText());
  }

  @Test
  void clientsStay_ifThePoolSaysSo() throws Exception {
    JsonNode shown =
        put(
            "pools/" + pool,
            "pool",
            "'session_persistence':{'type':'SOURCE_IP','persistence_timeout':60}");
    assertEquals(60, shown.at("/session_persistence/persistence_timeout").asInt());
    assertEquals(
        60, server.get("/pools/" + pool).json().at("/session_persistence/timeout").asInt());

    shown = put("pools/" + pool, "pool", "'session_persistence':null");

    assertTrue(shown.get("session_persistence").isNull());
    refused(
        501,
        "cookies",
        send("PUT", "pools/" + pool, "{'pool':{'session_persistence':{'type':'HTTP_COOKIE'}}}"));
  }

  @Test
  void poolOfALoadBalancer_needsNoListener() throws Exception {
    String id =
        made(
            "pools",
            "pool",
            "'loadbalancer_id':'%s','protocol':'UDP','lb_algorithm':'ROUND_ROBIN'"
                .formatted(balancer));
    assertEquals(List.of(balancer), ids(get("pools/" + id).at("/pool/loadbalancers")));
    assertEquals(2, get("loadbalancers/" + balancer).at("/loadbalancer/pools").size());
    refused(
        400,
        "loadbalancer_id",
        post("pools", "pool", "'protocol':'UDP','lb_algorithm':'ROUND_ROBIN'"));
    refused(
        409,
        "listener_id",
        post(
            "pools",
            "pool",
            "'listener_id':'%s','protocol':'TCP','lb_algorithm':'ROUND_ROBIN'"
                .formatted(listener)));
  }

  @Test
  void membersAndMonitor_goWithTheirPool() throws Exception {
    monitor("'type':'TCP'");
    assertEquals(204, send("DELETE", "pools/" + pool, null).status());
    assertEquals(0, server.get("/members").json().size());
    assertEquals(0, server.get("/health_monitors").json().size());
  }

  // --- members ---------------------------------------------------------------------------------

  @Test
  void weightZero_drains() throws Exception {
    located(one, two);
    put("pools/" + pool + "/members/" + one, "member", "'weight':0");
    assertEquals("DRAINING", status("pools/" + pool + "/members/" + one, "member"));
    assertEquals("ONLINE", status("pools/" + pool, "pool"));

    put("pools/" + pool + "/members/" + one, "member", "'weight':2");

    assertEquals("NO_MONITOR", status("pools/" + pool + "/members/" + one, "member"));
    assertEquals(2, server.get("/members/" + one).json().get("weight").asInt());
  }

  @Test
  void memberThatOperatorsDrain_isTakenBackByAWeight() throws Exception {
    server.put("/members/" + one, "{\"admin_state\":\"drain\"}");
    assertEquals(0, get("pools/" + pool + "/members/" + one).at("/member/weight").asInt());

    put("pools/" + pool + "/members/" + one, "member", "'weight':2");

    assertEquals("up", server.get("/members/" + one).json().get("admin_state").asText());
  }

  @Test
  void statuses_areThoseOfTheNetwork() throws Exception {
    assertEquals("ERROR", status("pools/" + pool + "/members/" + one, "member"));
    assertEquals("ERROR", status("loadbalancers/" + balancer, "loadbalancer"));
    located(one);
    assertEquals("DEGRADED", status("listeners/" + listener, "listener"));
    assertEquals("DEGRADED", status("loadbalancers/" + balancer, "loadbalancer"));
    located(two);
    assertEquals("ONLINE", status("loadbalancers/" + balancer, "loadbalancer"));
    put("pools/" + pool + "/members/" + two, "member", "'admin_state_up':false");
    assertEquals("OFFLINE", status("pools/" + pool + "/members/" + two, "member"));
    assertEquals("ONLINE", status("pools/" + pool, "pool"));
  }

  @Test
  void batch_replacesMembersByAddressAndPort() throws Exception {
    Answer answer =
        send(
            "PUT",
            "pools/" + pool + "/members",
            "{'members':[{'address':'10.0.0.1','protocol_port':8080,'weight':7},"
                + "{'address':'10.0.0.3','protocol_port':8080,'backup':true}]}");
    assertEquals(202, answer.status(), answer.text());

    JsonNode members = get("pools/" + pool + "/members").get("members");

    assertEquals(2, members.size());
    assertEquals(one, members.get(0).get("id").asText());
    assertEquals(7, members.get(0).get("weight").asInt());
    assertTrue(members.get(1).get("backup").asBoolean());
    send(
        "PUT",
        "pools/" + pool + "/members?additive_only=true",
        "{'members':[{'address':'10.0.0.4','protocol_port':8080}]}");
    assertEquals(3, get("pools/" + pool + "/members").get("members").size());
  }

  @Test
  void batchWithOneWrongMember_changesNothing() throws Exception {
    refused(
        400,
        "weight",
        send(
            "PUT",
            "pools/" + pool + "/members",
            "{'members':[{'address':'10.0.0.3','protocol_port':8080},"
                + "{'address':'10.0.0.1','protocol_port':8080,'weight':900}]}"));
    assertEquals(List.of(one, two), ids(get("pools/" + pool + "/members").get("members")));
  }

  @Test
  void memberOfAnotherPool_isNotHere() throws Exception {
    server.put("/pools/own", "{}");
    refused(404, one, send("GET", "pools/own/members/" + one, null));
    refused(404, "nowhere", send("GET", "pools/nowhere/members", null));
  }

  // --- health monitors -------------------------------------------------------------------------

  private String monitor(String attributes) throws Exception {
    return made(
        "healthmonitors",
        "healthmonitor",
        "'pool_id':'%s','delay':5,'timeout':2,'max_retries':2,".formatted(pool) + attributes);
  }

  @Test
  void monitor_isTheCatalogs() throws Exception {
    String id = monitor("'type':'HTTP','url_path':'/up','expected_codes':'200-204','name':'m'");
    JsonNode stored = server.get("/health_monitors/" + id).json();
    assertEquals(2, stored.get("rise").asInt());
    assertEquals("/up", stored.get("url_path").asText());
    assertEquals(id, get("pools/" + pool).at("/pool/healthmonitor_id").asText());

    JsonNode shown = put("healthmonitors/" + id, "healthmonitor", "'max_retries_down':4,'delay':7");

    assertEquals(4, shown.get("max_retries_down").asInt());
    assertEquals(7, shown.get("delay").asInt());
    assertEquals("200-204", shown.get("expected_codes").asText());
    refused(
        501,
        "domain_name",
        send("PUT", "healthmonitors/" + id, "{'healthmonitor':{'domain_name':'a.b'}}"));
    assertEquals(204, send("DELETE", "healthmonitors/" + id, null).status());
  }

  @Test
  void monitorOfAnotherType_isRefused() throws Exception {
    for (String type : List.of("HTTPS", "UDP-CONNECT", "TLS-HELLO")) {
      refused(
          501,
          type,
          post(
              "healthmonitors",
              "healthmonitor",
              "'pool_id':'%s','delay':5,'timeout':2,'max_retries':2,'type':'%s'"
                  .formatted(pool, type)));
    }
  }

  // --- lists -----------------------------------------------------------------------------------

  @Test
  void lists_areFilteredSortedAndCut() throws Exception {
    made("loadbalancers", "loadbalancer", "'name':'b','vip_address':'10.0.0.110','tags':['t']");
    made("loadbalancers", "loadbalancer", "'name':'a','vip_address':'10.0.0.111'");

    assertEquals(List.of("a", "b", "web"), names("loadbalancers?sort=name:asc"));
    assertEquals(List.of("web", "b", "a"), names("loadbalancers?sort_key=name&sort_dir=desc"));
    assertEquals(List.of("b"), names("loadbalancers?name=b"));
    assertEquals(List.of("b"), names("loadbalancers?tags=t"));
    assertEquals(List.of("web", "a"), names("loadbalancers?not-tags=t"));
    JsonNode some = get("loadbalancers?fields=id&fields=name&name=b").get("loadbalancers").get(0);
    assertEquals(2, some.size());
    refused(400, "colour", send("GET", "loadbalancers?colour=red", null));
  }

  @Test
  void sortKeys_areAttributesAndEachIsGivenOnce() throws Exception {
    assertEquals(List.of("web"), names("loadbalancers?sort=operating_status:asc,id"));
    assertEquals(
        List.of("web"),
        names("loadbalancers?sort_key=name&sort_dir=desc&sort_key=vip_address&sort_dir=asc"));
    refused(400, "colour", send("GET", "loadbalancers?sort=colour", null));
    refused(400, "sort_key", send("GET", "loadbalancers?sort_key=weight", null));
    refused(400, "name", send("GET", "loadbalancers?sort=name:asc,id,name:desc", null));
    refused(400, "name", send("GET", "loadbalancers?sort=name&sort_key=name", null));
    refused(400, "sideways", send("GET", "loadbalancers?sort_key=name&sort_dir=sideways", null));
    String many = "name,".repeat(1_000);
    refused(400, "name", send("GET", "loadbalancers?sort=" + many, null));
  }

  /** The directions belong to sort_key only. */
  @Test
  void sortKeysAfterSort_haveTheirOwnDirections() throws Exception {
    made("loadbalancers", "loadbalancer", "'name':'b','vip_address':'10.0.0.110'");
    made("loadbalancers", "loadbalancer", "'name':'a','vip_address':'10.0.0.111'");

    assertEquals(
        List.of("web", "b", "a"),
        names("loadbalancers?sort=admin_state_up:asc&sort_key=name&sort_dir=desc"));
  }

  private static List<String> names(String query) throws Exception {
    List<String> names = new ArrayList<>();
    get(query).get("loadbalancers").forEach(each -> names.add(each.get("name").asText()));
    return names;
  }

  @Test
  void pages_followByTheirLinks() throws Exception {
    made("loadbalancers", "loadbalancer", "'name':'b','vip_address':'10.0.0.110'");
    made("loadbalancers", "loadbalancer", "'name':'a','vip_address':'10.0.0.111'");
    List<String> seen = new ArrayList<>();
    URI next = server.fullUri("/v2.0/lbaas/loadbalancers?limit=2&sort=name:asc");
    while (next != null) {
      Answer page = server.sendTo("GET", next.getRawPath() + "?" + next.getRawQuery(), null);
      page.json().get("loadbalancers").forEach(each -> seen.add(each.get("name").asText()));
      JsonNode link = page.json().at("/loadbalancers_links/0/href");
      next = link.isMissingNode() ? null : URI.create(link.asText());
      assertNotEquals("", next == null ? "end" : next.getHost());
    }
    assertEquals(List.of("a", "b", "web"), seen);
  }

  @Test
  void pages_followTheirLinksWhileTheirObjectsAreDeleted() throws Exception {
    for (int i = 0; i < 4; i++) {
      made("loadbalancers", "loadbalancer", "'vip_address':'10.0.0.11%d'".formatted(i));
    }
    send("DELETE", "loadbalancers/" + balancer + "?cascade=true", null);
    for (String reverse : List.of("", "&page_reverse=true")) {
      List<String> all = ids(get("loadbalancers").get("loadbalancers"));
      JsonNode first = get("loadbalancers?limit=3" + reverse);
      all.removeAll(ids(first.get("loadbalancers")));
      all.sort(null);
      String marker =
          Stream.of(first.at("/loadbalancers_links/0/href").asText().split("[?&]"))
              .filter(part -> part.startsWith("marker="))
              .findFirst()
              .orElseThrow();
      String id = marker.substring("marker=".length());
      send("DELETE", "loadbalancers/" + id, null);
      assertEquals(all, ids(get("loadbalancers?limit=3&" + marker + reverse).get("loadbalancers")));
      refused(400, "sort", send("GET", "loadbalancers?sort=name&" + marker, null));
      made("loadbalancers", "loadbalancer", "'vip_address':'10.0.1.%d'".formatted(all.size()));
      made(
          "loadbalancers", "loadbalancer", "'vip_address':'10.0.2.%d'".formatted(reverse.length()));
    }
    String[] twins = {
      made("loadbalancers", "loadbalancer", "'vip_address':'10.0.0.130','name':'twin'"),
      made("loadbalancers", "loadbalancer", "'vip_address':'10.0.0.131','name':'twin'")
    };
    Arrays.sort(twins);
    assertEquals(
        List.of(twins[1]),
        ids(get("loadbalancers?name=twin&sort=name&marker=" + twins[0]).get("loadbalancers")));
  }

  /** As a client sees it that speaks HTTPS to a proxy. */
  @Test
  void links_areForTheSchemeOfTheClient() throws Exception {
    made("loadbalancers", "loadbalancer", "'vip_address':'10.0.0.110'");
    for (String scheme : List.of("https", "HTTPS, http", "http", "gopher", "")) {
      HttpRequest.Builder list =
          HttpRequest.newBuilder(server.fullUri("/v2.0/lbaas/loadbalancers?limit=1"));
      HttpRequest.Builder versions = HttpRequest.newBuilder(server.fullUri("/v2.0"));
      String expected = scheme.toLowerCase(Locale.ROOT).startsWith("https") ? "https" : "http";
      for (HttpRequest.Builder request : List.of(list, versions)) {
        if (!scheme.isEmpty()) {
          request.header("X-Forwarded-Proto", scheme);
        }
      }
      JsonNode next = server.send(list.build()).json().at("/loadbalancers_links/0/href");
      JsonNode self = server.send(versions.build()).json().at("/versions/0/links/0/href");
      assertEquals(URI.create(next.asText()).resolve("/v2.0"), URI.create(self.asText()), scheme);
      assertEquals(expected, URI.create(next.asText()).getScheme(), scheme);
      assertEquals(server.fullUri("/").getAuthority(), URI.create(next.asText()).getAuthority());
    }
  }

  @Test
  void newObject_isAtItsLocation() throws Exception {
    Answer answer = post("loadbalancers", "loadbalancer", "'vip_address':'10.0.0.110'");
    String id = answer.json().at("/loadbalancer/id").asText();
    assertEquals(
        Optional.of(server.fullUri("/v2.0/lbaas/loadbalancers/" + id).toString()),
        answer.response().headers().firstValue("Location"));
  }

  /** The answer shows what was made or changed, whatever happens next. */
  @Test
  void objectThatIsDeletedAtOnce_isShownAsItWasMade() throws Exception {
    Catalog catalog = server.catalog();
    List<String> deleted = new ArrayList<>();
    server.afterEdit =
        () -> {
          for (String id : List.copyOf(catalog.snapshot().pools().keySet())) {
            if (!id.equals(pool)) {
              catalog.delete(Catalog.POOLS, id);
              deleted.add(id);
            }
          }
        };
    Answer made =
        post(
            "pools",
            "pool",
            "'loadbalancer_id':'%s','protocol':'TCP','lb_algorithm':'ROUND_ROBIN','name':'p'"
                .formatted(balancer));
    assertEquals(201, made.status(), made.text());
    assertEquals("p", made.json().at("/pool/name").asText());
    assertEquals(balancer, made.json().at("/pool/loadbalancers/0/id").asText());
    assertEquals(List.of(made.json().at("/pool/id").asText()), deleted);

    server.afterEdit =
        () -> {
          if (catalog.snapshot().members().containsKey(one)) {
            catalog.delete(Catalog.MEMBERS, one);
          }
        };
    JsonNode changed = put("pools/" + pool + "/members/" + one, "member", "'name':'m'");
    assertEquals("m", changed.get("name").asText());
    server.afterEdit = () -> {};
  }

  @Test
  void whatIsNotInForceYet_isPending() throws Exception {
    server.effect = CatalogEffect.PENDING;
    JsonNode shown = put("listeners/" + listener, "listener", "'name':'later'");
    assertEquals("PENDING_UPDATE", shown.get("provisioning_status").asText());
    server.effect = CatalogEffect.IN_FORCE;
    assertEquals(
        "ACTIVE", get("listeners/" + listener).at("/listener/provisioning_status").asText());
  }

  // --- what else clients ask for ----------------------------------------------------------------

  @Test
  void versions_areAtEachBasePath() throws Exception {
    for (String path : List.of("/v2.0", "/v2.0/", "/v2")) {
      Answer answer = server.sendTo("GET", path, null);
      assertEquals(200, answer.status(), path);
      assertEquals("v2.0", answer.json().at("/versions/0/id").asText());
      assertEquals(
          server.fullUri("/v2.0").toString(),
          answer.json().at("/versions/0/links/0/href").asText());
    }
    assertEquals(200, server.sendTo("GET", "/v2/lbaas/pools", null).status());
  }

  @Test
  void providerAndLimits_areShown() throws Exception {
    assertEquals("malob", get("providers").at("/providers/0/name").asText());
    assertEquals(0, get("flavors").get("flavors").size());
    assertEquals(0, get("l7policies").get("l7policies").size());
    assertEquals(4095, get("quotas/any").at("/quota/listener").asInt());
    assertEquals(4095, get("quotas/defaults").at("/quota/listener").asInt());
    refused(501, "L7", post("l7policies", "l7policy", "'action':'REJECT'"));
    refused(404, "nowhere", send("GET", "nowhere", null));
    assertFalse(get("providers").at("/providers/0/description").asText().isEmpty());
  }
}
