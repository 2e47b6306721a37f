package io.malob.controller.rest;

import com.google.common.util.concurrent.ListenableFuture;
import java.util.List;
import java.util.Map;
import net.floodlightcontroller.core.IOFSwitch;
import org.projectfloodlight.openflow.protocol.OFMeterConfig;
import org.projectfloodlight.openflow.protocol.OFMeterFeatures;
import org.projectfloodlight.openflow.protocol.OFMeterStats;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBand;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBandDrop;
import org.projectfloodlight.openflow.protocol.meterband.OFMeterBandDscpRemark;

/** The meters of a switch. Pure. */
final class MeterStatistics {
  private static final long ALL_METERS = 0xffff_ffffL;

  private MeterStatistics() {}

  static ListenableFuture<Object> counters(IOFSwitch sw) {
    return SwitchStatistic.askAll(
        sw,
        "meter",
        sw.getOFFactory().buildMeterStatsRequest().setMeterId(ALL_METERS).build(),
        reply -> reply.getEntries(),
        MeterStatistics::counters);
  }

  private static Row counters(OFMeterStats entry) {
    List<Map<String, Object>> bands =
        entry.getBandStats().stream()
            .map(
                band ->
                    new Row()
                        .count("packet_band_count", band::getPacketBandCount)
                        .count("byte_band_count", band::getByteBandCount)
                        .fields())
            .toList();
    return new Row()
        .add("meter_id", entry::getMeterId)
        .add("flow_count", entry::getFlowCount)
        .add("reference_count", entry::getRefCount)
        .count("packet_in_count", entry::getPacketInCount)
        .count("byte_in_count", entry::getByteInCount)
        .put("meter_band_stats", bands)
        .add("duration_sec", entry::getDurationSec)
        .add("duration_nsec", entry::getDurationNsec);
  }

  static ListenableFuture<Object> configuration(IOFSwitch sw) {
    return SwitchStatistic.askAll(
        sw,
        "meter_config",
        sw.getOFFactory().buildMeterConfigStatsRequest().setMeterId(ALL_METERS).build(),
        reply -> reply.getEntries(),
        MeterStatistics::configuration);
  }

  private static Row configuration(OFMeterConfig meter) {
    return new Row()
        .add("meter_id", meter::getMeterId)
        .put("flags", meter.getFlags().stream().map(Object::toString).toList())
        .put("meter_bands", meter.getEntries().stream().map(MeterStatistics::band).toList());
  }

  private static Map<String, Object> band(OFMeterBand band) {
    Row row = new Row().add("band_type", band::getType);
    if (band instanceof OFMeterBandDrop drop) {
      row.add("rate", drop::getRate).add("burst_size", drop::getBurstSize);
    } else if (band instanceof OFMeterBandDscpRemark remark) {
      row.add("rate", remark::getRate)
          .add("burst_size", remark::getBurstSize)
          .add("prec_level", remark::getPrecLevel);
    }
    return row.fields();
  }

  static ListenableFuture<Object> features(IOFSwitch sw) {
    return SwitchStatistic.askOne(
        sw,
        "meter_features",
        sw.getOFFactory().buildMeterFeaturesStatsRequest().build(),
        reply -> features(reply.getFeatures()));
  }

  private static Row features(OFMeterFeatures features) {
    return new Row()
        .add("version", features::getVersion)
        .add("max_meters", features::getMaxMeter)
        .add("band_types", features::getBandTypes)
        .add("capabilities", features::getCapabilities)
        .add("max_bands", features::getMaxBands)
        .add("max_color", features::getMaxColor);
  }
}
