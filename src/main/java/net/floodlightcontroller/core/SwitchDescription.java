package net.floodlightcontroller.core;

import java.util.Objects;
import org.projectfloodlight.openflow.protocol.OFDescStatsReply;

/** Maker, hardware and software of a switch. */
public class SwitchDescription {
  private final String manufacturer;
  private final String hardware;
  private final String software;
  private final String serialNumber;
  private final String datapath;

  /** An empty description. */
  public SwitchDescription(
      String manufacturer, String hardware, String software, String serialNumber, String datapath) {
    this.manufacturer = manufacturer;
    this.hardware = hardware;
    this.software = software;
    this.serialNumber = serialNumber;
    this.datapath = datapath;
  }

  /** The description that a switch gave. */
  public SwitchDescription(OFDescStatsReply reply) {
    this(
        reply.getMfrDesc(),
        reply.getHwDesc(),
        reply.getSwDesc(),
        reply.getSerialNum(),
        reply.getDpDesc());
  }

  public String getManufacturerDescription() {
    return manufacturer;
  }

  public String getHardwareDescription() {
    return hardware;
  }

  public String getSoftwareDescription() {
    return software;
  }

  @Override
  public int hashCode() {
    return Objects.hash(manufacturer, hardware, software, serialNumber, datapath);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SwitchDescription that
        && manufacturer.equals(that.manufacturer)
        && hardware.equals(that.hardware)
        && software.equals(that.software)
        && serialNumber.equals(that.serialNumber)
        && datapath.equals(that.datapath);
  }

  @Override
  public String toString() {
    return manufacturer + " " + hardware + " " + software + " " + serialNumber + " " + datapath;
  }
}
