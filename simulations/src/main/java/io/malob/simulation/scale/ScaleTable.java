package io.malob.simulation.scale;

import io.malob.simulation.scale.ScaleModel.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The resources of several deployments side by side, as a table of Markdown. */
public final class ScaleTable {
  private ScaleTable() {}

  /** One column per deployment; what runs out first is bold. */
  public static String of(List<Deployment> deployments, Placement placement) {
    List<ScaleModel> models =
        deployments.stream().map(each -> new ScaleModel(each, placement)).toList();
    List<Resource> names = models.get(0).resources();
    StringBuilder text = new StringBuilder("| " + placement.name().toLowerCase(Locale.ROOT));
    deployments.forEach(each -> text.append(" | ").append(each.name()));
    text.append(" |\n").append("| --- ".repeat(deployments.size() + 1)).append("|\n");
    for (int row = 0; row < names.size(); row++) {
      List<String> cells = new ArrayList<>();
      for (ScaleModel model : models) {
        Resource resource = model.resources().get(row);
        String mark = resource.equals(model.first()) ? "**" : "";
        cells.add(mark + cell(resource) + mark);
      }
      text.append("| ").append(names.get(row).name()).append(" | ");
      text.append(String.join(" | ", cells)).append(" |\n");
    }
    return text.toString();
  }

  private static String cell(Resource resource) {
    if (resource.demand() == 0) {
      return "–";
    }
    return String.format(
        Locale.ROOT,
        "%s of %s: %s %%",
        number(resource.demand()),
        number(resource.capacity()),
        number(100 * resource.utilization()));
  }

  private static String number(double value) {
    String format = value >= 10 || value == Math.rint(value) ? "%,.0f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }
}
