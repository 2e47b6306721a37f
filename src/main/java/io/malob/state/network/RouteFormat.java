package io.malob.state.network;

import com.google.common.collect.ImmutableSortedMap;
import io.malob.algorithm.AddressText;
import io.malob.file.DamagedException;
import io.malob.file.StateFile;
import io.malob.json.Json;
import io.malob.json.JsonInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPAddress;

/** The JSON text of all routes. */
final class RouteFormat {
  private static final int VERSION = 1;

  private RouteFormat() {}

  static byte[] write(Map<Prefix, IPAddress<?>> routes) {
    List<Map<String, @Nullable Object>> lines = new ArrayList<>();
    routes.forEach(
        (destination, nextHop) ->
            lines.add(
                Json.fields(
                    "destination", destination.toString(), "next_hop", nextHop.toString())));
    return Json.indentedBytes(Json.fields("version", VERSION, "routes", lines));
  }

  /**
   * The routes of these bytes.
   *
   * @throws DamagedException if they are not what {@link #write} makes
   */
  static ImmutableSortedMap<Prefix, IPAddress<?>> read(byte[] bytes) throws DamagedException {
    JsonInput<DamagedException> root = StateFile.parse(bytes);
    root.get("version").whole(VERSION, VERSION);
    Map<Prefix, IPAddress<?>> routes = new TreeMap<>();
    for (JsonInput<DamagedException> line : root.get("routes").elements()) {
      String destination = line.get("destination").text();
      int slash = destination.indexOf('/');
      if (slash < 0) {
        throw DamagedException.at(line.get("destination"), "is no prefix");
      }
      @Nullable Prefix prefix =
          Prefix.parse(destination.substring(0, slash), destination.substring(slash + 1))
              .orElse(null);
      if (prefix == null) {
        throw DamagedException.at(line.get("destination"), "is no prefix");
      }
      @Nullable IPAddress<?> nextHop = AddressText.parse(line.get("next_hop").text()).orElse(null);
      if (nextHop == null || !StaticRoutes.isPossible(prefix, nextHop)) {
        throw DamagedException.at(line.get("next_hop"), "is no next hop");
      }
      if (routes.put(prefix, nextHop) != null) {
        throw DamagedException.at(line, "is for a prefix that is already listed");
      }
    }
    return ImmutableSortedMap.copyOf(routes);
  }
}
