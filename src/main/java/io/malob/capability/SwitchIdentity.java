package io.malob.capability;

import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.SwitchDescription;

/** What a switch says about itself: if it is the same, so are the features. */
record SwitchIdentity(int tables, String manufacturer, String hardware, String software) {
  static SwitchIdentity of(IOFSwitch sw) {
    SwitchDescription description = sw.getSwitchDescription();
    return new SwitchIdentity(
        sw.getNumTables(),
        description.getManufacturerDescription(),
        description.getHardwareDescription(),
        description.getSoftwareDescription());
  }
}
