package io.malob.bench.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.malob.bench.load.Scenario;
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
      Map<String, Object> vip = new LinkedHashMap<>();
      vip.put("id", "vip" + site);
      vip.put("name", "vip" + site);
      vip.put("protocol", "tcp");
      vip.put("address", Scenario.text(scenario.vip(site)));
      vip.put("port", Scenario.VIP_TCP_PORT);
      create("vips", vip);
      Map<String, Object> pool = new LinkedHashMap<>();
      pool.put("id", poolId(site));
      pool.put("name", poolId(site));
      pool.put("protocol", "tcp");
      pool.put("vip_id", "vip" + site);
      pool.put("lb_method", "RR");
      create("pools", pool);
      for (int member = 0; member < scenario.members(); member++) {
        create("members", member(scenario, site, member));
      }
    }
  }

  /** How many reports of agents were dropped, by reason, as JSON. */
  public String droppedReports() throws IOException, InterruptedException {
    return get("/wm/malob/reports").path("dropped").toString();
  }

  private static Map<String, Object> member(Scenario scenario, int site, int member) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", "member" + site + "." + member);
    fields.put("address", Scenario.text(scenario.member(site, member)));
    fields.put("port", Scenario.MEMBER_TCP_PORT);
    fields.put("pool_id", poolId(site));
    return fields;
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

  /** How many members the controller has located. */
  public int locatedMembers(Scenario scenario) throws IOException, InterruptedException {
    int located = 0;
    for (int site = 0; site < scenario.sites(); site++) {
      JsonNode stats = get("/quantum/v1.0/pools/" + poolId(site) + "/stats/");
      for (JsonNode member : stats.path("members")) {
        located += member.path("located").asBoolean() ? 1 : 0;
      }
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
