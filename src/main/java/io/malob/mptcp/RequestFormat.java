package io.malob.mptcp;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedSet;
import io.malob.algorithm.AddressText;
import io.malob.algorithm.HostAddresses;
import io.malob.algorithm.subflow.PlanRequest;
import io.malob.json.JsonInput;
import io.malob.json.RejectedException;
import io.malob.openflow.IpFamily;
import io.malob.openflow.subflow.Fan.Tagging;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;
import org.projectfloodlight.openflow.types.MacAddress;

/** Reads requests. */
final class RequestFormat {
  /** The max number of hosts of a plan. */
  static final int MAX_HOSTS = 10_000;

  private static final int MAX_PAIRS = 100_000;
  private static final int LAST_VLAN = 4094;

  /** Longer than any path. */
  private static final int MAX_DETOUR = 10_000;

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,63}");
  private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,31}");

  private static final byte[] EMPTY = {'{', '}'};
  private static final String MAC = "a MAC address like 02:00:0a:00:00:01";

  private static final ImmutableSet<String> ONLINE =
      ImmutableSet.of(
          "method",
          "paths",
          "vlan",
          "vlans",
          "count",
          "traffic",
          "weights",
          "max_detour",
          "family",
          "seed",
          "hosts");
  private static final ImmutableSet<String> OFFLINE =
      ImmutableSet.<String>builder().addAll(ONLINE).add("network").build();
  private static final ImmutableSet<String> PAIR = ImmutableSet.of("from", "to", "weight");
  private static final ImmutableSet<String> HOST =
      ImmutableSet.of(
          "id", "address", "vlan", "tagged_by", "mac", "switch", "port", "addresses", "device");

  private enum PathKind {
    HAMILTONIAN,
    DISJOINT
  }

  private enum Count {
    WHOLE,
    TRAVELLED
  }

  private RequestFormat() {}

  /** A request about the network that the controller sees. */
  static MptcpRequest read(byte[] body) throws RejectedException {
    return read(parse(body), false);
  }

  /** A request that contains its network. */
  static MptcpRequest readOffline(byte[] body) throws RejectedException {
    return read(parse(body), true);
  }

  private static JsonInput<RejectedException> parse(byte[] body) throws RejectedException {
    return JsonInput.ofRequest(body.length == 0 ? EMPTY : body);
  }

  private static MptcpRequest read(JsonInput<RejectedException> document, boolean isOffline)
      throws RejectedException {
    JsonInput<RejectedException> fields = document.only(isOffline ? OFFLINE : ONLINE);
    Optional<MptcpRequest.GivenNetwork> network = Optional.empty();
    if (isOffline) {
      network = Optional.of(NetworkFormat.read(fields.get("network")));
    }
    Optional<IpFamily> family = fields.get("family").optional(it -> it.oneOf(IpFamily.class));
    Optional<ImmutableList<GivenHost>> hosts = Optional.empty();
    if (fields.get("hosts").isThere()) {
      ImmutableList<GivenHost> given =
          hosts(fields.get("hosts").elements(MAX_HOSTS), network, family);
      FanOut.checkIds(given);
      hosts = Optional.of(given);
      family = family.or(() -> given.stream().findFirst().map(host -> host.family()));
    }
    return new MptcpRequest(settings(fields, family.orElse(IpFamily.IPV4)), hosts, network);
  }

  private static PlanSettings settings(JsonInput<RejectedException> fields, IpFamily family)
      throws RejectedException {
    return new PlanSettings(
        method(fields),
        fields.get("vlan").optional(value -> value.spelled().flag()),
        vlans(fields.get("vlans")),
        word(fields, "count", Count.WHOLE) == Count.TRAVELLED,
        fields
            .get("traffic")
            .optional(value -> value.elements(MAX_PAIRS, RequestFormat::pair))
            .orElse(ImmutableList.of()),
        word(fields, "weights", PlanSettings.Weights.NONE),
        maxDetour(fields.get("max_detour")),
        family,
        fields.get("seed").optional(value -> value.spelled().whole(0, Long.MAX_VALUE)).orElse(1L));
  }

  /** The method, which the deprecated field {@code paths} narrows down. */
  private static PlanRequest.Method method(JsonInput<RejectedException> fields)
      throws RejectedException {
    Optional<PlanRequest.Method> method =
        fields.get("method").optional(value -> value.oneOf(PlanRequest.Method.class));
    Optional<PathKind> paths = fields.get("paths").optional(value -> value.oneOf(PathKind.class));
    if (paths.equals(Optional.of(PathKind.DISJOINT))) {
      return PlanRequest.Method.DISJOINT;
    }
    if (paths.isPresent() && method.equals(Optional.of(PlanRequest.Method.DISJOINT))) {
      throw RejectedException.invalid(
          "paths", "paths: the method disjoint has no Hamiltonian paths");
    }
    // only Hamiltonian paths are cut
    boolean isHamiltonian = paths.isPresent() || fields.get("max_detour").isThere();
    return method.orElse(isHamiltonian ? PlanRequest.Method.BALANCED : PlanRequest.Method.DISJOINT);
  }

  private static OptionalInt maxDetour(JsonInput<RejectedException> value)
      throws RejectedException {
    return value.isThere()
        ? OptionalInt.of(value.spelled().whole(0, MAX_DETOUR))
        : OptionalInt.empty();
  }

  private static <T extends Enum<T>> T word(
      JsonInput<RejectedException> fields, String name, T usual) throws RejectedException {
    return fields.get(name).optional(value -> value.oneOf(usual.getDeclaringClass())).orElse(usual);
  }

  private static ImmutableSortedSet<Integer> vlans(JsonInput<RejectedException> array)
      throws RejectedException {
    return ImmutableSortedSet.copyOf(
        list(array, LAST_VLAN, value -> value.spelled().whole(1, LAST_VLAN)));
  }

  /** The elements of an array, none if it is missing; errors name the array. */
  private static <T> ImmutableList<T> list(
      JsonInput<RejectedException> array, int max, JsonInput.Reading<RejectedException, T> reading)
      throws RejectedException {
    JsonInput.Reading<RejectedException, T> renamed =
        element -> {
          try {
            return reading.of(element);
          } catch (RejectedException e) {
            throw e.renamed(place -> array.place());
          }
        };
    return array.optional(value -> value.elements(max, renamed)).orElse(ImmutableList.of());
  }

  private static PlanSettings.Pair pair(JsonInput<RejectedException> element)
      throws RejectedException {
    JsonInput<RejectedException> pair = element.only(PAIR);
    return new PlanSettings.Pair(
        text(pair.get("from")),
        text(pair.get("to")),
        pair.get("weight").optional(NetworkFormat::positive).orElse(1.0));
  }

  /** A string, or a number as written; without surrounding blanks. */
  static String text(JsonInput<RejectedException> value) throws RejectedException {
    if (!value.isThere()) {
      throw value.wrong("a string");
    }
    return value.text().strip();
  }

  private static ImmutableList<GivenHost> hosts(
      List<JsonInput<RejectedException>> elements,
      Optional<MptcpRequest.GivenNetwork> network,
      Optional<IpFamily> family)
      throws RejectedException {
    Map<String, DatapathId> byName = new HashMap<>();
    network.ifPresent(given -> given.names().forEach((id, name) -> byName.put(name, id)));
    Optional<IpFamily> ofFirst = family;
    List<GivenHost> hosts = new ArrayList<>();
    for (JsonInput<RejectedException> element : elements) {
      GivenHost host = host(element.only(HOST), byName, ofFirst);
      ofFirst = Optional.of(host.family());
      hosts.add(host);
    }
    return ImmutableList.copyOf(hosts);
  }

  private static GivenHost host(
      JsonInput<RejectedException> fields, Map<String, DatapathId> names, Optional<IpFamily> family)
      throws RejectedException {
    String[] parts = text(fields.get("address")).split("/", -1);
    IPAddress<?> address = address(fields.get("address"), parts[0], family);
    Optional<Integer> vlan =
        fields.get("vlan").optional(value -> value.spelled().whole(1, LAST_VLAN));
    return new GivenHost(
        fields.get("id").optional(value -> matching(value, ID)).orElse(address.toString()),
        address,
        prefixLength(fields.get("address"), parts, IpFamily.of(address)),
        vlan,
        tagging(fields, vlan),
        fields.get("mac").optional(value -> value.parsed(MAC, MacAddress::of)),
        switchId(fields.get("switch"), names),
        fields.get("port").optional(NetworkFormat::port),
        list(
            fields.get("addresses"),
            FanOut.MAX_ADDRESSES - 1,
            alias -> address(alias, alias.string(), Optional.of(IpFamily.of(address)))),
        fields.get("device").optional(value -> matching(value, DEVICE)));
  }

  private static String matching(JsonInput<RejectedException> value, Pattern pattern)
      throws RejectedException {
    String text = text(value);
    if (!pattern.matcher(text).matches()) {
      throw value.wrong("letters, digits and - . _");
    }
    return text;
  }

  /**
   * A host's address.
   *
   * @param family of the plan, if it is known
   */
  private static IPAddress<?> address(
      JsonInput<RejectedException> value, String text, Optional<IpFamily> family)
      throws RejectedException {
    Optional<IPAddress<?>> parsed = AddressText.parse(text);
    if (parsed.isEmpty()) {
      throw value.wrong(family.map(RequestFormat::anAddress).orElse("an IPv4 or IPv6 address"));
    }
    IPAddress<?> address = parsed.get();
    if (!HostAddresses.isUnicast(address)) {
      throw value.wrong("the unicast address of a host, with IPv6 a global or unique local one");
    }
    if (family.isPresent() && IpFamily.of(address) != family.get()) {
      throw value.wrong(anAddress(family.get()) + ", as all addresses of a plan are of one family");
    }
    return address;
  }

  private static String anAddress(IpFamily family) {
    return family == IpFamily.IPV4 ? "an IPv4 address" : "an IPv6 address";
  }

  private static int prefixLength(
      JsonInput<RejectedException> address, String[] parts, IpFamily family)
      throws RejectedException {
    if (parts.length == 1) {
      return KnownHosts.prefixLength(family);
    }
    int max = family == IpFamily.IPV4 ? 30 : 120;
    if (parts.length == 2 && parts[1].matches("[0-9]{1,3}")) {
      int length = Integer.parseInt(parts[1]);
      if (length >= 1 && length <= max) {
        return length;
      }
    }
    throw address.wrong(
        String.format(
            "an address with a prefix length from 1 to %d, as in %s",
            max, family == IpFamily.IPV4 ? "10.0.0.1/24" : "2001:db8::1/64"));
  }

  private static Tagging tagging(JsonInput<RejectedException> fields, Optional<Integer> vlan)
      throws RejectedException {
    Tagging tagging = word(fields, "tagged_by", vlan.isPresent() ? Tagging.HOST : Tagging.NONE);
    if (vlan.isPresent() == (tagging == Tagging.NONE)) {
      String place = fields.placeOf("tagged_by");
      throw RejectedException.invalid(
          place, place + ": required for hosts with a vlan, and for no others");
    }
    return tagging;
  }

  private static Optional<DatapathId> switchId(
      JsonInput<RejectedException> value, Map<String, DatapathId> names) throws RejectedException {
    if (!value.isThere()) {
      return Optional.empty();
    }
    String text = text(value);
    @Nullable DatapathId named = names.get(text);
    if (named != null) {
      return Optional.of(named);
    }
    if (!names.isEmpty() && text.indexOf(':') < 0) {
      throw NetworkFormat.noSwitch(value, text);
    }
    return Optional.of(NetworkFormat.switchId(value));
  }
}
