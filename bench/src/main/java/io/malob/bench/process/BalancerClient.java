package io.malob.bench.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.bench.load.AddressFamily;
import io.malob.bench.load.Scenario;
import io.malob.bench.load.StarScenario;
import io.malob.bench.load.Storm;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Configures a controller's balancer by its REST interface. */
public final class BalancerClient {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int CREATED = 201;
  private static final int OK = 200;

  /** The change is stored, but not in force yet. */
  private static final int ACCEPTED = 202;

  private static final int CONFLICT = 409;

  private final HttpClient http = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final String root;

  /** A client of the controller at that host and port. */
  public BalancerClient(String hostAndPort) {
    root = "http://" + hostAndPort;
  }

  /** Whether the controller answers and says that all of it runs. */
  public boolean isHealthy() throws InterruptedException {
    try {
      return get("/wm/core/health/json").path("healthy").asBoolean();
    } catch (IOException e) {
      return false;
    }
  }

  /** Creates the VIPs, pools and members of a network, unless they are there already. */
  public void configure(Scenario scenario) throws IOException, InterruptedException {
    for (int site = 0; site < scenario.sites(); site++) {
      configure(scenario, site, String.valueOf(site), scenario.vip(site), Scenario.MEMBER_TCP_PORT);
    }
  }

  /** Creates one more VIP, for storms, over the servers of the first site. */
  public void configureAttacked(Scenario scenario) throws IOException, InterruptedException {
    configure(scenario, 0, "-attacked", Storm.VIP, Storm.MEMBER_TCP_PORT);
  }

  private void configure(Scenario scenario, int site, String name, int address, int memberPort)
      throws IOException, InterruptedException {
    Map<String, Object> vip = new LinkedHashMap<>();
    vip.put("id", "vip" + name);
    vip.put("name", "vip" + name);
    vip.put("protocol", "tcp");
    vip.put("address", scenario.text(address));
    vip.put("port", Scenario.VIP_TCP_PORT);
    create("vips", vip);
    Map<String, Object> pool = new LinkedHashMap<>();
    pool.put("id", "pool" + name);
    pool.put("name", "pool" + name);
    pool.put("protocol", "tcp");
    pool.put("vip_id", "vip" + name);
    pool.put("lb_method", "RR");
    create("pools", pool);
    for (int member = 0; member < scenario.members(); member++) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("id", "member" + name + "." + member);
      fields.put("address", scenario.text(scenario.member(site, member)));
      fields.put("port", memberPort);
      fields.put("pool_id", "pool" + name);
      create("members", fields);
    }
  }

  /** Creates a VIP with a pool of members, which is reactive until {@link #change}d. */
  public void configure(StarScenario scenario, String method)
      throws IOException, InterruptedException {
    String pool = poolId(0);
    create(
        "vips",
        Map.of(
            "id", "vip0",
            "name", "vip0",
            "protocol", "tcp",
            "address", AddressFamily.IPV4.text(StarScenario.VIP),
            "port", Scenario.VIP_TCP_PORT));
    create(
        "pools",
        Map.of(
            "id", pool,
            "name", pool,
            "protocol", "tcp",
            "vip_id", "vip0",
            "lb_method", method));
    for (int member = 0; member < scenario.members(); member++) {
      create(
          "members",
          Map.of(
              "id",
              "member0." + member,
              "address",
              AddressFamily.IPV4.text(scenario.memberAddress(member)),
              "port",
              Scenario.MEMBER_TCP_PORT,
              "pool_id",
              pool));
    }
  }

  /** Changes a field of a VIP, pool or member. */
  public void change(String collection, String id, String field, Object value)
      throws IOException, InterruptedException {
    put("/quantum/v1.0/" + collection + "/" + id + "/", Map.of(field, value));
  }

  /** Lets the controllers of a cluster share its switches. */
  public void spread() throws IOException, InterruptedException {
    put("/wm/malob/cluster/mastership", Map.of("mastership", "spread"));
  }

  private void put(String path, Map<String, Object> fields)
      throws IOException, InterruptedException {
    HttpRequest request =
        request(path)
            .header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(json.writeValueAsString(fields)))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    int status = response.statusCode();
    if (status != OK && status != ACCEPTED) {
      throw new IOException("PUT " + path + ": " + status + " " + response.body());
    }
  }

  /** How many client edges have the buckets of the VIP. */
  public int proactiveEdges() throws IOException, InterruptedException {
    int proactive = 0;
    for (JsonNode vip : get("/wm/malob/placement")) {
      for (JsonNode edge : vip.path("edges")) {
        proactive += edge.path("state").asText().equals("proactive") ? 1 : 0;
      }
    }
    return proactive;
  }

  /** How many reports of agents were dropped, by reason, as JSON. */
  public String droppedReports() throws IOException, InterruptedException {
    return get("/wm/malob/reports").path("dropped").toString();
  }

  private static String poolId(int site) {
    return "pool" + site;
  }

  private void create(String collection, Map<String, Object> fields)
      throws IOException, InterruptedException {
    String path = "/quantum/v1.0/" + collection + "/";
    HttpRequest request =
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json.writeValueAsString(fields)))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    int status = response.statusCode();
    if (status != CREATED && status != OK && status != CONFLICT) {
      throw new IOException("POST " + path + ": " + status + " " + response.body());
    }
  }

  /** Has the members of a pool checked by TCP. */
  public void monitor(String pool, int delaySeconds) throws IOException, InterruptedException {
    create(
        "health_monitors",
        Map.of("id", pool, "type", "TCP", "pool_id", pool, "delay", delaySeconds));
  }

  /** How many members of a pool pass their checks. */
  public int membersUp(String pool) throws IOException, InterruptedException {
    int up = 0;
    for (JsonNode member : get("/quantum/v1.0/pools/" + pool + "/stats/").path("members")) {
      up += member.path("health").asText().equals("up") ? 1 : 0;
    }
    return up;
  }

  /** How many members the controller has located. */
  public int locatedMembers(Scenario scenario) throws IOException, InterruptedException {
    int located = 0;
    for (int site = 0; site < scenario.sites(); site++) {
      located += locatedMembers(site);
    }
    return located;
  }

  /** How many members of one site the controller has located. */
  public int locatedMembers(int site) throws IOException, InterruptedException {
    int located = 0;
    JsonNode stats = get("/quantum/v1.0/pools/" + poolId(site) + "/stats/");
    for (JsonNode member : stats.path("members")) {
      located += member.path("located").asBoolean() ? 1 : 0;
    }
    return located;
  }

  /** How many switches the controller takes for active. */
  public int switches() throws IOException, InterruptedException {
    return get("/wm/core/controller/switches/json").size();
  }

  /** How many directed links it has found. */
  public int links() throws IOException, InterruptedException {
    int directed = 0;
    for (JsonNode link : get("/wm/topology/links/json")) {
      directed += link.path("direction").asText().equals("bidirectional") ? 2 : 1;
    }
    return directed;
  }

  /** The balancer's own counts of what it holds and of what did not get through. */
  public JsonNode counters() throws IOException, InterruptedException {
    return get("/wm/malob/counters");
  }

  /** How many connections of an earlier controller it has adopted. */
  public long adopted() throws IOException, InterruptedException {
    return get("/wm/malob/audits").path("connections_adopted").asLong();
  }

  /** How many times it has read all rules of a switch. */
  public int tablesRead() throws IOException, InterruptedException {
    return get("/wm/malob/audits").path("tables_read").asInt();
  }

  /** How many switches a controller of the cluster can be master of, as this one knows. */
  public int switchesOf(String node) throws IOException, InterruptedException {
    for (JsonNode each : get("/wm/malob/cluster").path("cluster").path("nodes")) {
      if (each.path("name").asText().equals(node)) {
        return each.path("switches").asInt();
      }
    }
    return 0;
  }

  /** The sum of a count over the pools of a network, such as {@code total_connections}. */
  public long poolCount(Scenario scenario, String count) throws IOException, InterruptedException {
    long sum = 0;
    for (int site = 0; site < scenario.sites(); site++) {
      sum += get("/quantum/v1.0/pools/" + poolId(site) + "/stats/").path(count).asLong();
    }
    return sum;
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<String> response =
        http.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != OK) {
      throw new IOException("GET " + path + ": " + response.statusCode() + " " + response.body());
    }
    return json.readTree(response.body());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(root + path)).timeout(PATIENCE);
  }
}
