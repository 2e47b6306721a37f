package io.malob.mptcp;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.AddressText;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Route;
import io.malob.algorithm.subflow.SubflowPlan;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.openflow.IpFamily;
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
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The file of an installed plan. Links are listed once and then referred to by number. */
final class AppliedFormat {
  private static final int VERSION = 1;

  private AppliedFormat() {}

  static byte[] write(Applied applied) throws IOException {
    return new Writer().write(applied);
  }

  /**
   * Reads these bytes.
   *
   * @throws DamagedException if they are not what {@link #write} makes
   */
  static Applied read(byte[] bytes) throws DamagedException {
    JsonInput<DamagedException> root = StateFile.parse(bytes);
    root.get("version").whole(VERSION, VERSION);
    try {
      return new Reader(root).read();
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw DamagedException.in(root, "the plan contradicts itself: " + e.getMessage());
    }
  }

  private static final class Writer {
    private final Map<DirectedLink, Integer> numbers = new LinkedHashMap<>();

    byte[] write(Applied applied) throws IOException {
      NetworkPlan plan = applied.plan();
      ObjectNode root = Json.object();
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
      return Json.indentedBytes(root);
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
      route.cutFrom().ifPresent(whole -> links(node.putArray("cut_from"), whole.links()));
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
    private final JsonInput<DamagedException> root;
    private final List<DirectedLink> numbered = new ArrayList<>();
    private IpFamily family = IpFamily.IPV4;

    Reader(JsonInput<DamagedException> root) {
      this.root = root;
    }

    Applied read() throws DamagedException {
      for (JsonInput<DamagedException> node : root.get("links").elements()) {
        List<JsonInput<DamagedException>> link = node.elements();
        if (link.size() != 4) {
          throw DamagedException.at(node, "must have four elements");
        }
        numbered.add(
            new DirectedLink(
                switchId(link.get(0)),
                port(link.get(1)),
                switchId(link.get(2)),
                port(link.get(3))));
      }
      String document = root.get("request").string();
      MptcpRequest request = request(document);
      family = request.settings().family();
      Map<FlowIdentity, LabelledRoute> labelled = new LinkedHashMap<>();
      Map<FlowIdentity, Route> routes = new LinkedHashMap<>();
      for (JsonInput<DamagedException> node : root.get("routes").elements()) {
        LabelledRoute route = route(node);
        labelled.put(route.route().identity(), route);
        routes.put(route.route().identity(), route.route());
      }
      NetworkPlan plan =
          new NetworkPlan(
              request.settings(),
              root.get("per_vlan").flag(),
              topology(),
              coreLinks(),
              members(root.get("members")),
              plan(ImmutableList.copyOf(routes.values())),
              ImmutableMap.copyOf(routes),
              texts(root.get("notes")));
      return new Applied(
          document,
          request,
          new LabelledPlan(plan, ImmutableMap.copyOf(labelled)),
          members(root.get("lost")));
    }

    private MptcpRequest request(String document) throws DamagedException {
      try {
        return RequestFormat.read(document.getBytes(StandardCharsets.UTF_8));
      } catch (RejectedException e) {
        throw DamagedException.at(root.get("request"), "is not a valid request: " + e.getMessage());
      }
    }

    private ImmutableList<Member> members(JsonInput<DamagedException> array)
        throws DamagedException {
      ImmutableList.Builder<Member> members = ImmutableList.builder();
      for (JsonInput<DamagedException> node : array.elements()) {
        members.add(member(node));
      }
      return members.build();
    }

    private static ImmutableList<String> texts(JsonInput<DamagedException> array)
        throws DamagedException {
      ImmutableList.Builder<String> texts = ImmutableList.builder();
      for (JsonInput<DamagedException> element : array.elements()) {
        texts.add(element.string());
      }
      return texts.build();
    }

    private Topology topology() throws DamagedException {
      List<DatapathId> switches = new ArrayList<>();
      for (JsonInput<DamagedException> node : root.get("switches").elements()) {
        switches.add(switchId(node));
      }
      return Topology.of(switches, links(root.get("topology")));
    }

    private static DatapathId switchId(JsonInput<DamagedException> node) throws DamagedException {
      return node.parsed("a datapath id", DatapathId::of);
    }

    private static OFPort port(JsonInput<DamagedException> node) throws DamagedException {
      return OFPort.of(node.whole(Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    private ImmutableListMultimap<DatapathId, DirectedLink> coreLinks() throws DamagedException {
      ImmutableListMultimap.Builder<DatapathId, DirectedLink> links =
          ImmutableListMultimap.builder();
      Map<DatapathId, JsonInput<DamagedException>> sorted = new TreeMap<>();
      JsonInput<DamagedException> core = root.get("core_links");
      for (Map.Entry<String, JsonInput<DamagedException>> field : core.fields().entrySet()) {
        try {
          sorted.put(DatapathId.of(field.getKey()), field.getValue());
        } catch (IllegalArgumentException e) {
          throw DamagedException.at(field.getValue(), "does not belong to a datapath id");
        }
      }
      for (Map.Entry<DatapathId, JsonInput<DamagedException>> entry : sorted.entrySet()) {
        links.putAll(entry.getKey(), links(entry.getValue()));
      }
      return links.build();
    }

    private ImmutableList<DirectedLink> links(JsonInput<DamagedException> array)
        throws DamagedException {
      ImmutableList.Builder<DirectedLink> links = ImmutableList.builder();
      for (JsonInput<DamagedException> element : array.elements()) {
        links.add(link(element));
      }
      return links.build();
    }

    private DirectedLink link(JsonInput<DamagedException> node) throws DamagedException {
      if (numbered.isEmpty()) {
        throw DamagedException.at(node, "refers to a link, but the plan has none");
      }
      return numbered.get(node.whole(0, numbered.size() - 1));
    }

    private Member member(JsonInput<DamagedException> node) throws DamagedException {
      JsonInput<DamagedException> aliases = node.get("aliases");
      Host host =
          new Host(
              node.get("id").string(),
              address(node.get("address")),
              node.get("prefix_length").whole(0, family == IpFamily.IPV4 ? 32 : 128),
              new Attachment(
                  switchId(node.get("switch")),
                  port(node.get("port")),
                  node.get("mac").parsed("a MAC address", MacAddress::of)),
              node.get("fixed").flag(),
              node.get("vlan").whole(0, 4095),
              node.get("tagging").parsed("a tagging method", Fan.Tagging::valueOf),
              aliases.isThere() ? addresses(aliases) : ImmutableList.of(),
              node.get("device").string());
      return new Member(
          host,
          addresses(node.get("addresses")),
          links(node.get("homes")),
          links(node.get("merged")));
    }

    private ImmutableList<IPAddress<?>> addresses(JsonInput<DamagedException> array)
        throws DamagedException {
      ImmutableList.Builder<IPAddress<?>> addresses = ImmutableList.builder();
      for (JsonInput<DamagedException> element : array.elements()) {
        addresses.add(address(element));
      }
      return addresses.build();
    }

    private IPAddress<?> address(JsonInput<DamagedException> node) throws DamagedException {
      return AddressText.parse(node.string())
          .filter(address -> IpFamily.of(address) == family)
          .orElseThrow(() -> node.wrong("an address of the family of the request"));
    }

    private LabelledRoute route(JsonInput<DamagedException> node) throws DamagedException {
      DirectedLink first = link(node.get("first"));
      ImmutableList.Builder<Path> branches = ImmutableList.builder();
      for (JsonInput<DamagedException> branch : node.get("branches").elements()) {
        branches.add(new Path(first.src(), links(branch)));
      }
      Optional<Path> cutFrom =
          node.get("cut_from").optional(whole -> new Path(first.src(), links(whole)));
      ImmutableList.Builder<Label> labels = ImmutableList.builder();
      for (JsonInput<DamagedException> label : node.get("labels").elements()) {
        labels.add(new Label(label.whole(Label.MAX_CONNECTION_ID + 1, Label.MAX_ID)));
      }
      return new LabelledRoute(
          new Route(
              new FlowIdentity(first, node.get("vlan").whole(0, 4095)),
              node.get("kind").parsed("a kind of route", Route.Kind::valueOf),
              branches.build(),
              node.get("reason").string(),
              cutFrom),
          labels.build());
    }

    private SubflowPlan plan(ImmutableList<Route> routes) throws DamagedException {
      JsonInput<DamagedException> node = root.get("plan");
      Map<UndirectedLink, @Nullable Double> loads = new HashMap<>();
      for (JsonInput<DamagedException> load : node.get("loads").elements()) {
        List<JsonInput<DamagedException>> pair = load.elements();
        if (pair.size() != 2) {
          throw DamagedException.at(load, "must have two elements");
        }
        loads.put(UndirectedLink.of(link(pair.get(0))), pair.get(1).anyNumber());
      }
      return new SubflowPlan(
          routes,
          ImmutableSortedMap.copyOf(loads),
          node.get("maximum").anyNumber(),
          node.get("minimum").anyNumber(),
          node.get("proven_optimal").flag(),
          node.get("proof").string());
    }
  }
}
