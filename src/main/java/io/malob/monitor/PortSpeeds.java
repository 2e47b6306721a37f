package io.malob.monitor;

import java.util.OptionalDouble;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortDescProp;
import org.projectfloodlight.openflow.protocol.OFPortDescPropEthernet;
import org.projectfloodlight.openflow.protocol.OFPortFeatures;
import org.projectfloodlight.openflow.protocol.OFVersion;

/** The speeds that ports report. Pure. */
final class PortSpeeds {
  /**
   * The value of virtual interfaces without a speed (Linux: tun and tap). Real ports of that speed
   * need a configured capacity.
   */
  private static final double MEANINGLESS_BPS = 10e6;

  /** Speeds in Mbit/s by the number of the bit, in the bitmap of features of OpenFlow 1.4. */
  private static final int[] MBPS_OF_BIT = {
    10, 10, 100, 100, 1_000, 1_000, 10_000, 40_000, 100_000, 1_000_000
  };

  private PortSpeeds() {}

  /** The current speed of a port, in bit/s; empty if it reports no meaningful one. */
  static OptionalDouble bitsPerSecond(OFPortDesc port) {
    double bps = port.getVersion().compareTo(OFVersion.OF_14) < 0 ? until13(port) : from14(port);
    return bps > MEANINGLESS_BPS ? OptionalDouble.of(bps) : OptionalDouble.empty();
  }

  private static double until13(OFPortDesc port) {
    if (port.getVersion().compareTo(OFVersion.OF_11) >= 0 && port.getCurrSpeed() > 0) {
      return port.getCurrSpeed() * 1e3;
    }
    return fastest(port.getCurr());
  }

  private static double fastest(Set<OFPortFeatures> features) {
    long bps = 0;
    for (OFPortFeatures feature : features) {
      bps = Math.max(bps, feature.getPortSpeed().getSpeedBps());
    }
    return (double) bps;
  }

  private static double from14(OFPortDesc port) {
    for (OFPortDescProp property : port.getProperties()) {
      if (property instanceof OFPortDescPropEthernet ethernet) {
        return ethernet.getCurrSpeed() > 0
            ? ethernet.getCurrSpeed() * 1e3
            : fastest(ethernet.getCurr());
      }
    }
    return 0;
  }

  private static double fastest(long features) {
    double bps = 0;
    for (int bit = 0; bit < MBPS_OF_BIT.length; bit++) {
      if ((features >>> bit & 1) != 0) {
        bps = Math.max(bps, MBPS_OF_BIT[bit] * 1e6);
      }
    }
    return bps;
  }
}
