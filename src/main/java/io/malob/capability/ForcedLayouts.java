package io.malob.capability;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.malob.module.WrongSettingException;
import io.malob.openflow.TableLayout;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.projectfloodlight.openflow.types.DatapathId;

/** The setting by which operators choose the layouts of switches. */
final class ForcedLayouts {
  private ForcedLayouts() {}

  /**
   * Reads the setting.
   *
   * @param setting its full name
   * @param text entries {@code DPID=LAYOUT}, separated by commas
   * @throws WrongSettingException if an entry is wrong
   */
  static ImmutableMap<DatapathId, TableLayout> parse(String setting, String text)
      throws WrongSettingException {
    Map<DatapathId, TableLayout> layouts = new LinkedHashMap<>();
    for (String entry : Splitter.on(',').trimResults().omitEmptyStrings().split(text)) {
      List<String> parts = Splitter.on('=').trimResults().splitToList(entry);
      if (parts.size() != 2) {
        throw wrong(setting, entry, "is not SWITCH=LAYOUT");
      }
      if (layouts.put(switchId(setting, entry, parts.get(0)), layout(setting, entry, parts.get(1)))
          != null) {
        throw wrong(setting, entry, "names its switch again");
      }
    }
    return ImmutableMap.copyOf(layouts);
  }

  private static DatapathId switchId(String setting, String entry, String text)
      throws WrongSettingException {
    try {
      return DatapathId.of(text);
    } catch (IllegalArgumentException e) {
      throw wrong(setting, entry, "has no datapath id such as 00:00:00:00:00:00:00:02");
    }
  }

  private static TableLayout layout(String setting, String entry, String text)
      throws WrongSettingException {
    return Arrays.stream(TableLayout.values())
        .filter(each -> each.text().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                wrong(
                    setting,
                    entry,
                    "has none of the layouts "
                        + Arrays.stream(TableLayout.values())
                            .map(TableLayout::text)
                            .collect(Collectors.joining(", "))));
  }

  private static WrongSettingException wrong(String setting, String entry, String why) {
    return new WrongSettingException(String.format("%s: \"%s\" %s", setting, entry, why));
  }
}
