package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.collect.Maps;
import io.malob.algorithm.AddressText;
import io.malob.algorithm.Attachment;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.graph.Topology;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.PlanRequest;
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
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    return Json.indentedBytes(new Writer().document(applied));
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

    Map<String, @Nullable Object> document(Applied applied) {
      NetworkPlan plan = applied.plan();
      List<Integer> topology = numbers(plan.topology().links());
      Map<String, List<Integer>> core = new LinkedHashMap<>();
      plan.coreLinks().asMap().forEach((id, links) -> core.put(id.toString(), numbers(links)));
      Map<String, @Nullable Object> root =
          Json.fields(
              "version", VERSION,
              "request", applied.document(),
              "per_vlan", plan.perVlan(),
              "switches", plan.topology().switches(),
              "topology", topology,
              "core_links", core,
              "members", plan.members().stream().map(this::member).toList(),
              "lost", applied.lost().stream().map(this::member).toList(),
              "routes", applied.labelled().routes().values().stream().map(this::route).toList(),
              "plan", plan(plan.plan()),
              "notes", plan.notes());
      root.put("links", numbers.keySet().stream().map(Writer::ends).toList());
      return root;
    }

    private List<Integer> numbers(Collection<DirectedLink> links) {
      return links.stream().map(this::number).toList();
    }

    private int number(DirectedLink link) {
      return numbers.computeIfAbsent(link, any -> numbers.size());
    }

    private static List<Object> ends(DirectedLink link) {
      return List.of(
          link.src(), link.srcPort().getPortNumber(), link.dst(), link.dstPort().getPortNumber());
    }

    private Map<String, @Nullable Object> member(Member member) {
      Host host = member.host();
      Map<String, @Nullable Object> fields =
          Json.fields(
              "id", host.id(),
              "address", host.ip(),
              "prefix_length", host.prefixLength(),
              "mac", host.at().mac(),
              "switch", host.switchId(),
              "port", host.at().port().getPortNumber(),
              "fixed", host.fixed(),
              "vlan", host.vlan(),
              "tagging", host.tagging().name(),
              "device", host.device());
      if (!host.aliases().isEmpty()) {
        fields.put("aliases", host.aliases());
      }
      fields.put("addresses", member.addresses());
      fields.put("homes", numbers(member.homes()));
      fields.put("merged", numbers(member.merged()));
      return fields;
    }

    private Map<String, @Nullable Object> route(LabelledRoute labelled) {
      Route route = labelled.route();
      Map<String, @Nullable Object> fields =
          Json.fields(
              "first", number(route.identity().first()),
              "vlan", route.identity().vlan(),
              "kind", route.kind().name(),
              "reason", route.reason(),
              "branches", route.branches().stream().map(path -> numbers(path.links())).toList());
      route.cutFrom().ifPresent(whole -> fields.put("cut_from", numbers(whole.links())));
      fields.put("labels", labelled.labels().stream().map(Label::id).toList());
      return fields;
    }

    private Map<String, @Nullable Object> plan(SubflowPlan plan) {
      return Json.fields(
          "maximum", plan.maximum(),
          "minimum", plan.minimum(),
          "proven_optimal", plan.provenOptimal(),
          "proof", plan.proof(),
          "loads", plan.loads().entrySet().stream().map(this::load).toList());
    }

    private List<Object> load(Map.Entry<UndirectedLink, Double> load) {
      UndirectedLink link = load.getKey();
      return List.of(
          number(new DirectedLink(link.a(), link.aPort(), link.b(), link.bPort())),
          load.getValue());
    }
  }

  private static final class Reader {
    private final JsonInput<DamagedException> root;
    private final ImmutableList<DirectedLink> numbered;
    private final String document;
    private final MptcpRequest request;
    private final IpFamily family;

    Reader(JsonInput<DamagedException> root) throws DamagedException {
      this.root = root;
      numbered = root.get("links").elements(Reader::ends);
      document = root.get("request").string();
      request = request(root.get("request"));
      family = request.settings().family();
    }

    Applied read() throws DamagedException {
      ImmutableMap<FlowIdentity, LabelledRoute> labelled =
          Maps.uniqueIndex(
              root.get("routes").elements(this::route), each -> each.route().identity());
      ImmutableMap<FlowIdentity, Route> routes =
          ImmutableMap.copyOf(Maps.transformValues(labelled, LabelledRoute::route));
      // BALANCED was the default of earlier versions
      boolean isByDefault =
          request.settings().method() == PlanRequest.Method.DISJOINT
              && routes.values().stream().anyMatch(route -> route.kind() != Route.Kind.DISJOINT);
      PlanSettings settings =
          isByDefault ? request.settings().by(PlanRequest.Method.BALANCED) : request.settings();
      NetworkPlan plan =
          new NetworkPlan(
              settings,
              root.get("per_vlan").flag(),
              Topology.of(
                  root.get("switches").elements(Reader::switchId), links(root.get("topology"))),
              coreLinks(),
              root.get("members").elements(this::member),
              plan(routes.values().asList()),
              routes,
              root.get("notes").elements(JsonInput::string));
      return new Applied(
          document,
          new MptcpRequest(settings, request.hosts(), request.network()),
          new LabelledPlan(plan, labelled),
          root.get("lost").elements(this::member));
    }

    private static MptcpRequest request(JsonInput<DamagedException> node) throws DamagedException {
      try {
        return RequestFormat.read(node.string().getBytes(StandardCharsets.UTF_8));
      } catch (RejectedException e) {
        throw DamagedException.at(node, "is not a valid request: " + e.getMessage());
      }
    }

    private static DirectedLink ends(JsonInput<DamagedException> node) throws DamagedException {
      List<JsonInput<DamagedException>> ends = node.elements();
      if (ends.size() != 4) {
        throw DamagedException.at(node, "must have four elements");
      }
      return new DirectedLink(
          switchId(ends.get(0)), port(ends.get(1)), switchId(ends.get(2)), port(ends.get(3)));
    }

    private static DatapathId switchId(JsonInput<DamagedException> node) throws DamagedException {
      return node.parsed("a datapath id", DatapathId::of);
    }

    private static OFPort port(JsonInput<DamagedException> node) throws DamagedException {
      return OFPort.of(node.whole(Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    private ImmutableListMultimap<DatapathId, DirectedLink> coreLinks() throws DamagedException {
      ImmutableListMultimap.Builder<DatapathId, DirectedLink> links =
          ImmutableListMultimap.<DatapathId, DirectedLink>builder()
              .orderKeysBy(Comparator.naturalOrder());
      JsonInput<DamagedException> core = root.get("core_links");
      for (Map.Entry<String, JsonInput<DamagedException>> field : core.fields().entrySet()) {
        try {
          links.putAll(DatapathId.of(field.getKey()), links(field.getValue()));
        } catch (IllegalArgumentException e) {
          throw DamagedException.at(field.getValue(), "does not belong to a datapath id");
        }
      }
      return links.build();
    }

    private ImmutableList<DirectedLink> links(JsonInput<DamagedException> array)
        throws DamagedException {
      return array.elements(this::link);
    }

    private DirectedLink link(JsonInput<DamagedException> node) throws DamagedException {
      if (numbered.isEmpty()) {
        throw DamagedException.at(node, "refers to a link, but the plan has none");
      }
      return numbered.get(node.whole(0, numbered.size() - 1));
    }

    private Member member(JsonInput<DamagedException> node) throws DamagedException {
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
              node.get("aliases").optional(this::addresses).orElse(ImmutableList.of()),
              node.get("device").string());
      return new Member(
          host,
          addresses(node.get("addresses")),
          links(node.get("homes")),
          links(node.get("merged")));
    }

    private ImmutableList<IPAddress<?>> addresses(JsonInput<DamagedException> array)
        throws DamagedException {
      return array.elements(this::address);
    }

    private IPAddress<?> address(JsonInput<DamagedException> node) throws DamagedException {
      return AddressText.parse(node.string())
          .filter(address -> IpFamily.of(address) == family)
          .orElseThrow(() -> node.wrong("an address of the family of the request"));
    }

    private LabelledRoute route(JsonInput<DamagedException> node) throws DamagedException {
      DirectedLink first = link(node.get("first"));
      JsonInput.Reading<DamagedException, Path> path = links -> new Path(first.src(), links(links));
      return new LabelledRoute(
          new Route(
              new FlowIdentity(first, node.get("vlan").whole(0, 4095)),
              node.get("kind").parsed("a kind of route", Route.Kind::valueOf),
              node.get("branches").elements(path),
              node.get("reason").string(),
              node.get("cut_from").optional(path)),
          node.get("labels")
              .elements(id -> new Label(id.whole(Label.MAX_CONNECTION_ID + 1, Label.MAX_ID))));
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
