package io.malob.controller.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostNamesTest {
  private final HostNames names = HostNames.of("malob.example, Other.example, alt.example:8443");

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:8080, true",
    "192.0.2.10, true",
    "[::1]:8080, true",
    "localhost:8080, true",
    "MALOB.example:8080, true",
    "other.example, true",
    "alt.example:9000, true",
    "evil.example:8080, false",
    "127.0.0.1.evil.example, false",
    "localhost.evil.example, false",
    "'a b:c:', false"
  })
  void accepts_addressesLoopbackAndConfiguredNames_only(String authority, boolean accepted) {
    assertEquals(accepted, names.accepts(authority));
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:8080, 127.0.0.1:8080, true",
    "https://malob.example, 127.0.0.1:8080, true",
    "http://127.0.0.1:3000, 127.0.0.1:8080, false",
    "https://malob.example:443, 127.0.0.1:8080, true",
    "https://malob.example:3000, malob.example:8080, false",
    "http://malob.example:3000, 127.0.0.1:8080, false",
    "https://alt.example:8443, 127.0.0.1:8080, true",
    "https://alt.example, alt.example:8443, false",
    "http://192.0.2.1, 192.0.2.1:80, true",
    "https://192.0.2.1, 192.0.2.1, true",
    "http://[::1]:8080, [::1]:8080, true",
    "http://[::1]:3000, [::1]:8080, false",
    "http://evil.example, 127.0.0.1:8080, false",
    "null, 127.0.0.1:8080, false"
  })
  void isOwn_sameAuthorityOrConfiguredName_only(String origin, String host, boolean own) {
    assertEquals(own, names.isOwn(origin, host));
  }
}
