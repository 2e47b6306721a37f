package net.floodlightcontroller.core.internal;

import java.util.Map;
import java.util.Set;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.IOFSwitchListener;
import net.floodlightcontroller.core.module.IFloodlightService;
import org.projectfloodlight.openflow.types.DatapathId;

/** The connected switches. */
public interface IOFSwitchService extends IFloodlightService {
  /** All switches by datapath id; the map is a snapshot. */
  Map<DatapathId, IOFSwitch> getAllSwitchMap();

  /** The switch of that id, or null. */
  IOFSwitch getSwitch(DatapathId switchId);

  /** The switch of that id if this controller is its master, or null. */
  IOFSwitch getActiveSwitch(DatapathId switchId);

  /** Subscribes to changes. */
  void addOFSwitchListener(IOFSwitchListener oFSwitchListener);

  /** The ids of all switches. */
  Set<DatapathId> getAllSwitchDpids();
}
