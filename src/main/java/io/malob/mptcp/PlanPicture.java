package io.malob.mptcp;

import com.google.common.collect.Iterables;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.UndirectedLink;
import io.malob.algorithm.subflow.Route;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * Draws a plan as SVG: the switches on a circle, a line of its own colour for each route along the
 * links that it takes, and on each link how many sub-flows it carries.
 */
final class PlanPicture {
  private static final int SIZE = 760;
  private static final int RADIUS = 300;
  private static final int LEGEND_WIDTH = 400;
  private static final int LEGEND_LINES = 44;
  private static final int LINE_HEIGHT = 16;

  /** The max width of all routes over a link together. */
  private static final double MAX_WIDTH = 26;

  private static final double GAP = 3.2;

  private final NetworkPlan plan;
  private final Function<DatapathId, String> names;
  private final Map<DatapathId, Point> places = new LinkedHashMap<>();
  private final StringBuilder svg = new StringBuilder();

  private record Point(double x, double y) {}

  private PlanPicture(NetworkPlan plan, Function<DatapathId, String> names) {
    this.plan = plan;
    this.names = names;
  }

  /** The picture as a document. */
  static String of(NetworkPlan plan, Function<DatapathId, String> names) {
    return new PlanPicture(plan, names).draw();
  }

  private String draw() {
    place();
    List<String> legend = legend();
    int height = Math.max(SIZE, (legend.size() + 3) * LINE_HEIGHT);
    line(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
            + " font-size=\"12\">",
        SIZE + LEGEND_WIDTH, height);
    line("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    drawRoutes();
    drawCounts();
    drawSwitches();
    drawLegend(legend);
    line("</svg>");
    return svg.toString();
  }

  /** In the order of the first route, so that its neighbours are neighbours on the circle. */
  private void place() {
    Set<DatapathId> order = new LinkedHashSet<>();
    plan.plan().routes().stream()
        .limit(1)
        .flatMap(route -> route.branches().stream())
        .forEach(branch -> order.addAll(branch.switches()));
    order.addAll(plan.topology().switches());
    int number = 0;
    for (DatapathId switchId : order) {
      double angle = 2 * Math.PI * number++ / order.size() - Math.PI / 2;
      places.put(
          switchId,
          new Point(SIZE / 2.0 + RADIUS * Math.cos(angle), SIZE / 2.0 + RADIUS * Math.sin(angle)));
    }
  }

  private Point at(DatapathId switchId) {
    return places.getOrDefault(switchId, new Point(0, 0));
  }

  private void drawRoutes() {
    Map<UndirectedLink, List<Integer>> users = new TreeMap<>();
    plan.plan().loads().keySet().forEach(link -> users.put(link, new ArrayList<>()));
    for (int i = 0; i < plan.plan().routes().size(); i++) {
      for (DirectedLink link : plan.plan().routes().get(i).links()) {
        users.computeIfAbsent(UndirectedLink.of(link), any -> new ArrayList<>()).add(i);
      }
    }
    users.forEach(
        (link, routes) -> {
          Point a = at(link.a());
          Point b = at(link.b());
          segment(a, b, 0, "#dddddd", routes.isEmpty() ? 2 : width(routes.size()) + 4);
          for (int i = 0; i < routes.size(); i++) {
            double gap = routes.size() < 2 ? 0 : width(routes.size()) / (routes.size() - 1);
            segment(a, b, (i - (routes.size() - 1) / 2.0) * gap, colour(routes.get(i)), 1.8);
          }
        });
  }

  private static double width(int routes) {
    return Math.min(MAX_WIDTH, (routes - 1) * GAP);
  }

  /** A line beside the straight one between two points. */
  private void segment(Point a, Point b, double aside, String colour, double width) {
    double length = Math.hypot(b.x - a.x, b.y - a.y);
    double dx = -(b.y - a.y) / length * aside;
    double dy = (b.x - a.x) / length * aside;
    line(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
            + " stroke-width=\"%.1f\"/>",
        a.x + dx, a.y + dy, b.x + dx, b.y + dy, colour, width);
  }

  private static String colour(int number) {
    // the golden angle keeps hues apart for any number of routes
    double hue = number * 137.508 % 360;
    double lightness = 0.36 + number % 3 * 0.09;
    return String.format(
        "#%02x%02x%02x",
        channel(0, hue, lightness), channel(8, hue, lightness), channel(4, hue, lightness));
  }

  /** One of red (0), green (8) and blue (4) of a hue, with a saturation of 0.7. */
  private static int channel(int which, double hue, double lightness) {
    double at = (which + hue / 30) % 12;
    double part = 0.7 * Math.min(lightness, 1 - lightness);
    return (int)
        Math.round(255 * (lightness - part * Math.max(-1, Math.min(Math.min(at - 3, 9 - at), 1))));
  }

  private void drawCounts() {
    plan.plan()
        .loads()
        .forEach(
            (link, load) -> {
              Point a = at(link.a());
              Point b = at(link.b());
              // not in the middle, where the diagonals of the circle cross
              double x = a.x + (b.x - a.x) * 0.4;
              double y = a.y + (b.y - a.y) * 0.4;
              line(
                  "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"12\" fill=\"white\" stroke=\"#444444\"/>",
                  x, y);
              line(
                  "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>",
                  x, y + 4, shown(load));
            });
  }

  private static String shown(double load) {
    return load == Math.rint(load)
        ? Long.toString((long) load)
        : String.format(Locale.ROOT, "%.1f", load);
  }

  private void drawSwitches() {
    places.forEach(
        (switchId, place) -> {
          String name = names.apply(switchId);
          double half = Math.max(16, name.length() * 3.6 + 6);
          line(
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"24\" rx=\"5\" fill=\"#234\"/>",
              place.x - half, place.y - 12, 2 * half);
          line(
              "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"white\">%s</text>",
              place.x, place.y + 4, escaped(name));
        });
  }

  private List<String> legend() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < plan.plan().routes().size() && i < LEGEND_LINES; i++) {
      Route route = plan.plan().routes().get(i);
      String vlan = route.identity().vlan() == 0 ? "" : "VLAN " + route.identity().vlan() + ": ";
      String ways =
          route.branches().size() == 1
              ? String.join(
                  " → ", Iterables.transform(route.branches().get(0).switches(), names::apply))
              : String.format(
                  "%s to %s, %d branches",
                  names.apply(route.identity().ingress()),
                  names.apply(route.identity().first().dst()),
                  route.branches().size());
      lines.add(vlan + (ways.length() > 60 ? ways.substring(0, 60) + "…" : ways));
    }
    int left = plan.plan().routes().size() - lines.size();
    if (left > 0) {
      lines.add("and " + left + " more");
    }
    return lines;
  }

  private void drawLegend(List<String> lines) {
    line(
        "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s sub-flows per link: %s to %s</text>",
        SIZE,
        LINE_HEIGHT,
        plan.plan().provenOptimal() ? "Optimal:" : "Planned:",
        shown(plan.plan().minimum()),
        shown(plan.plan().maximum()));
    for (int i = 0; i < lines.size(); i++) {
      int y = (i + 3) * LINE_HEIGHT;
      line(
          "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"6\" fill=\"%s\"/>",
          SIZE, y - 8, i < LEGEND_LINES ? colour(i) : "white");
      line("<text x=\"%d\" y=\"%d\">%s</text>", SIZE + 20, y, escaped(lines.get(i)));
    }
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private void line(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
