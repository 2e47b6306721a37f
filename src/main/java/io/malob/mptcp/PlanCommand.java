package io.malob.mptcp;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSetMultimap;
import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.Attachment;
import io.malob.json.Json;
import io.malob.json.RejectedException;
import io.malob.openflow.subflow.SubflowRule;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Plans without a controller: reads a request with the network in it from standard input, prints
 * the plan as JSON. Exit codes: 0 done, 1 the picture could not be written, 2 the request is wrong,
 * of which the printed JSON tells.
 */
public final class PlanCommand {

  private PlanCommand() {}

  /** Usage: {@code PlanCommand [--svg FILE]}. */
  public static void main(String[] arguments) throws IOException {
    System.exit(run(arguments, System.in, System.out, System.err));
  }

  static int run(String[] arguments, InputStream in, PrintStream out, PrintStream err)
      throws IOException {
    if (arguments.length != 0 && !(arguments.length == 2 && arguments[0].equals("--svg"))) {
      err.println("expected no arguments, or --svg FILE");
      return 2;
    }
    try {
      MptcpRequest request = RequestFormat.readOffline(in.readAllBytes());
      MptcpRequest.GivenNetwork network = request.network().orElseThrow();
      Function<DatapathId, String> names = id -> network.names().getOrDefault(id, id.toString());
      NetworkPlan plan = plan(request, network, names);
      if (arguments.length == 2) {
        Files.writeString(Path.of(arguments[1]), PlanPicture.of(plan, names));
      }
      ImmutableSetMultimap<DatapathId, SubflowRule> rules =
          LabelledPlan.fresh(plan).rules(List.of());
      print(out, new PlanFormat(names).shown(plan, rules));
      return 0;
    } catch (RejectedException e) {
      Map<String, @Nullable Object> error =
          Json.fields(
              "error", e.getMessage(),
              "field", e.field());
      print(out, error);
      return 2;
    } catch (IOException e) {
      err.println("the picture could not be written: " + e);
      return 1;
    }
  }

  private static void print(PrintStream out, Object document) throws IOException {
    out.write(Json.indentedBytes(document));
    out.println();
    out.flush();
  }

  private static NetworkPlan plan(
      MptcpRequest request, MptcpRequest.GivenNetwork network, Function<DatapathId, String> names)
      throws RejectedException {
    if (request.settings().weights() == PlanSettings.Weights.LOAD) {
      throw RejectedException.unprocessable(
          "weights", "weights: the load of links is known only with a controller");
    }
    boolean weighted = request.settings().weights() == PlanSettings.Weights.CAPACITY;
    return new PlanMaker(
            request.settings(),
            network.topology(),
            weighted ? network.capacities() : ImmutableMap.of(),
            names,
            any -> false)
        .plan(hosts(request, network.names()), List.of(), Map.of(), Optional.empty());
  }

  /** The hosts of the request; without any, one on each switch. */
  private static List<Host> hosts(
      MptcpRequest request, ImmutableSortedMap<DatapathId, String> names) throws RejectedException {
    List<Host> hosts = new ArrayList<>();
    if (request.hosts().isEmpty()) {
      int number = 1;
      for (Map.Entry<DatapathId, String> entry : names.entrySet()) {
        hosts.add(
            KnownHosts.anyOn(
                entry.getKey(), entry.getValue(), number++, request.settings().family()));
      }
      return hosts;
    }
    for (GivenHost host : request.hosts().get()) {
      String field = "hosts." + host.id() + ".switch";
      DatapathId switchId =
          host.switchId()
              .orElseThrow(
                  () ->
                      RejectedException.unprocessable(
                          field, field + " is required without a controller"));
      hosts.add(
          KnownHosts.host(
              host,
              new Attachment(
                  switchId, host.port().orElse(OFPort.of(1)), host.mac().orElse(MacAddress.NONE)),
              host.vlan().orElse(0),
              true));
    }
    return hosts;
  }
}
