package io.malob.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortFeatures;
import org.projectfloodlight.openflow.protocol.OFVersion;

class PortSpeedsTest {
  @Test
  void speedOfPort_isInKilobits() {
    assertEquals(OptionalDouble.of(2.5e9), PortSpeeds.bitsPerSecond(port(2_500_000, Set.of())));
  }

  @Test
  void withoutSpeed_theFastestFeatureCounts() {
    Set<OFPortFeatures> features =
        EnumSet.of(OFPortFeatures.PF_100MB_FD, OFPortFeatures.PF_1GB_FD, OFPortFeatures.PF_COPPER);
    assertEquals(OptionalDouble.of(1e9), PortSpeeds.bitsPerSecond(port(0, features)));
  }

  @Test
  void portThatSaysNothing_isUnknown() {
    assertEquals(OptionalDouble.empty(), PortSpeeds.bitsPerSecond(port(0, Set.of())));
    assertEquals(
        OptionalDouble.empty(),
        PortSpeeds.bitsPerSecond(port(0, EnumSet.of(OFPortFeatures.PF_COPPER))));
  }

  @Test
  void tenMegabits_asVirtualInterfacesSay_areUnknown() {
    assertEquals(
        OptionalDouble.empty(),
        PortSpeeds.bitsPerSecond(port(10_000, EnumSet.of(OFPortFeatures.PF_10MB_FD))));
    assertEquals(
        OptionalDouble.empty(),
        PortSpeeds.bitsPerSecond(port(0, EnumSet.of(OFPortFeatures.PF_10MB_FD))));
  }

  @ParameterizedTest
  @EnumSource(names = {"OF_14", "OF_15"})
  void laterVersions_tellItInAProperty(OFVersion version) {
    assertEquals(OptionalDouble.of(4e10), PortSpeeds.bitsPerSecond(later(version, 40_000_000, 0)));
    assertEquals(OptionalDouble.of(1e10), PortSpeeds.bitsPerSecond(later(version, 0, 0x860)));
    assertEquals(OptionalDouble.empty(), PortSpeeds.bitsPerSecond(later(version, 0, 0x800)));
    assertEquals(
        OptionalDouble.empty(),
        PortSpeeds.bitsPerSecond(OFFactories.getFactory(version).buildPortDesc().build()));
  }

  private static OFPortDesc port(long kilobits, Set<OFPortFeatures> features) {
    return PortAnswers.FACTORY.buildPortDesc().setCurrSpeed(kilobits).setCurr(features).build();
  }

  private static OFPortDesc later(OFVersion version, long kilobits, long features) {
    OFFactory factory = OFFactories.getFactory(version);
    return factory
        .buildPortDesc()
        .setProperties(
            List.of(
                factory
                    .buildPortDescPropEthernet()
                    .setCurrSpeed(kilobits)
                    .setCurr(features)
                    .build()))
        .build();
  }
}
