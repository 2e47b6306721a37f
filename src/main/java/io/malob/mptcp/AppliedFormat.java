package io.malob.mptcp;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.SubflowPlan;
import io.malob.openflow.label.Label;
import io.malob.openflow.subflow.Fan;
import io.malob.openflow.subflow.Fan.LabelledRoute;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The file of a plan that is in place. Links are listed once and meant by their number after that.
 */
final class AppliedFormat {
  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  private AppliedFormat() {}

  static byte[] write(Applied applied) throws IOException {
    return new Writer().write(applied);
  }

  /**
   * What these bytes tell.
   *
   * @throws IllegalArgumentException if they are not what {@link #write} makes
   */
  static Applied read(byte[] bytes) throws IOException {
    JsonNode root;
    try {
      root = JSON.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e.getOriginalMessage(), e);
    }
    if (root.path("version").asInt() != VERSION) {
      throw new IllegalArgumentException("it is not of version " + VERSION);
    }
    try {
      return new Reader(root).read();
    } catch (MptcpException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static final class Writer {
    private final Map<DirectedLink, Integer> numbers = new LinkedHashMap<>();

    byte[] write(Applied applied) throws IOException {
      NetworkPlan plan = applied.plan();
      ObjectNode root = JSON.createObjectNode();
      root.put("version", VERSION);
      root.put("request", applied.document());
      root.put("per_vlan", plan.perVlan());
      ArrayNode switches = root.putArray("switches");
      plan.topology().switches().forEach(id -> switches.add(id.toString()));
      links(root.putArray("topology"), plan.topology().links());
      ObjectNode core = root.putObject("core_links");
      plan.coreLinks().asMap().forEach((id, links) -> links(core.putArray(id.toString()), links));
      ArrayNode members = root.putArray("members");
      plan.members().forEach(member -> member(members.addObject(), member));
      ArrayNode lost = root.putArray("lost");
      applied.lost().forEach(member -> member(lost.addObject(), member));
      ArrayNode routes = root.putArray("routes");
      applied.labelled().routes().values().forEach(route -> route(routes.addObject(), route));
      plan(root.putObject("plan"), plan.plan());
      plan.notes().forEach(root.putArray("notes")::add);
      ArrayNode links = root.putArray("links");
      numbers.keySet().forEach(link -> link(links.addArray(), link));
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
    }

    private void links(ArrayNode array, Collection<DirectedLink> links) {
      links.forEach(link -> array.add(number(link)));
    }

    private int number(DirectedLink link) {
      return numbers.computeIfAbsent(link, any -> numbers.size());
    }

    private static void link(ArrayNode array, DirectedLink link) {
      array
          .add(link.src().toString())
          .add(link.srcPort().getPortNumber())
          .add(link.dst().toString())
          .add(link.dstPort().getPortNumber());
    }

    private void member(ObjectNode node, Member member) {
      Host host = member.host();
      node.put("id", host.id());
      node.put("address", host.ip().toString());
      node.put("prefix_length", host.prefixLength());
      node.put("mac", host.at().mac().toString());
      node.put("switch", host.switchId().toString());
      node.put("port", host.at().port().getPortNumber());
      node.put("fixed", host.fixed());
      node.put("vlan", host.vlan());
      node.put("tagging", host.tagging().name());
      node.put("device", host.device());
      host.aliases().forEach(alias -> node.withArray("aliases").add(alias.toString()));
      ArrayNode addresses = node.putArray("addresses");
      member.addresses().forEach(address -> addresses.add(address.toString()));
      links(node.putArray("homes"), member.homes());
      links(node.putArray("merged"), member.merged());
    }

    private void route(ObjectNode node, LabelledRoute labelled) {
      Route route = labelled.route();
      node.put("first", number(route.identity().first()));
      node.put("vlan", route.identity().vlan());
      node.put("kind", route.kind().name());
      node.put("reason", route.reason());
      ArrayNode branches = node.putArray("branches");
      route.branches().forEach(branch -> links(branches.addArray(), branch.links()));
      ArrayNode labels = node.putArray("labels");
      labelled.labels().forEach(label -> labels.add(label.id()));
    }

    private void plan(ObjectNode node, SubflowPlan plan) {
      node.put("maximum", plan.maximum());
      node.put("minimum", plan.minimum());
      node.put("proven_optimal", plan.provenOptimal());
      node.put("proof", plan.proof());
      ArrayNode loads = node.putArray("loads");
      plan.loads()
          .forEach(
              (link, load) ->
                  loads
                      .addArray()
                      .add(number(new DirectedLink(link.a(), link.aPort(), link.b(), link.bPort())))
                      .add(load));
    }
  }

  private static final class Reader {
    private final JsonNode root;
    private final List<DirectedLink> numbered = new ArrayList<>();

    Reader(JsonNode root) {
      this.root = root;
    }

    Applied read() throws MptcpException {
      for (JsonNode link : root.path("links")) {
        numbered.add(
            new DirectedLink(
                DatapathId.of(link.path(0).asText()),
                OFPort.of(link.path(1).asInt()),
                DatapathId.of(link.path(2).asText()),
                OFPort.of(link.path(3).asInt())));
      }
      String document = root.path("request").asText();
      MptcpRequest request = RequestFormat.read(document.getBytes(StandardCharsets.UTF_8));
      Map<FlowIdentity, LabelledRoute> labelled = new LinkedHashMap<>();
      Map<FlowIdentity, Route> routes = new LinkedHashMap<>();
      for (JsonNode node : root.path("routes")) {
        LabelledRoute route = route(node);
        labelled.put(route.route().identity(), route);
        routes.put(route.route().identity(), route.route());
      }
      NetworkPlan plan =
          new NetworkPlan(
              request.settings(),
              root.path("per_vlan").asBoolean(),
              topology(),
              coreLinks(),
              members(root.path("members")),
              plan(ImmutableList.copyOf(routes.values())),
              ImmutableMap.copyOf(routes),
              texts(root.path("notes")));
      return new Applied(
          document,
          request,
          new LabelledPlan(plan, ImmutableMap.copyOf(labelled)),
          members(root.path("lost")));
    }

    private ImmutableList<Member> members(JsonNode array) {
      ImmutableList.Builder<Member> members = ImmutableList.builder();
      array.forEach(node -> members.add(member(node)));
      return members.build();
    }

    private static ImmutableList<String> texts(JsonNode array) {
      ImmutableList.Builder<String> texts = ImmutableList.builder();
      array.forEach(element -> texts.add(element.asText()));
      return texts.build();
    }

    private Topology topology() {
      return Topology.of(
          texts(root.path("switches")).stream().map(DatapathId::of).toList(),
          links(root.path("topology")));
    }

    private ImmutableListMultimap<DatapathId, DirectedLink> coreLinks() {
      ImmutableListMultimap.Builder<DatapathId, DirectedLink> links =
          ImmutableListMultimap.builder();
      Map<DatapathId, JsonNode> sorted = new TreeMap<>();
      root.path("core_links")
          .fieldNames()
          .forEachRemaining(
              name -> sorted.put(DatapathId.of(name), root.path("core_links").path(name)));
      sorted.forEach((id, array) -> links.putAll(id, links(array)));
      return links.build();
    }

    private ImmutableList<DirectedLink> links(JsonNode array) {
      ImmutableList.Builder<DirectedLink> links = ImmutableList.builder();
      array.forEach(element -> links.add(numbered.get(element.asInt(-1))));
      return links.build();
    }

    private Member member(JsonNode node) {
      Host host =
          new Host(
              node.path("id").asText(),
              IPv4Address.of(node.path("address").asText()),
              node.path("prefix_length").asInt(),
              new Attachment(
                  DatapathId.of(node.path("switch").asText()),
                  OFPort.of(node.path("port").asInt()),
                  MacAddress.of(node.path("mac").asText())),
              node.path("fixed").asBoolean(),
              node.path("vlan").asInt(),
              Fan.Tagging.valueOf(node.path("tagging").asText()),
              addresses(node.path("aliases")),
              node.path("device").asText());
      return new Member(
          host,
          addresses(node.path("addresses")),
          links(node.path("homes")),
          links(node.path("merged")));
    }

    private static ImmutableList<IPv4Address> addresses(JsonNode array) {
      return texts(array).stream().map(IPv4Address::of).collect(ImmutableList.toImmutableList());
    }

    private LabelledRoute route(JsonNode node) {
      DirectedLink first = numbered.get(node.path("first").asInt(-1));
      ImmutableList.Builder<Path> branches = ImmutableList.builder();
      node.path("branches").forEach(branch -> branches.add(new Path(first.src(), links(branch))));
      ImmutableList.Builder<Label> labels = ImmutableList.builder();
      node.path("labels").forEach(label -> labels.add(new Label(label.asInt())));
      return new LabelledRoute(
          new Route(
              new FlowIdentity(first, node.path("vlan").asInt()),
              Route.Kind.valueOf(node.path("kind").asText()),
              branches.build(),
              node.path("reason").asText()),
          labels.build());
    }

    private SubflowPlan plan(ImmutableList<Route> routes) {
      JsonNode node = root.path("plan");
      Map<UndirectedLink, @Nullable Double> loads = new HashMap<>();
      for (JsonNode load : node.path("loads")) {
        loads.put(UndirectedLink.of(numbered.get(load.path(0).asInt(-1))), load.path(1).asDouble());
      }
      return new SubflowPlan(
          routes,
          ImmutableSortedMap.copyOf(loads),
          node.path("maximum").asDouble(),
          node.path("minimum").asDouble(),
          node.path("proven_optimal").asBoolean(),
          node.path("proof").asText());
    }
  }
}
