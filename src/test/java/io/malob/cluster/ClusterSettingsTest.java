package io.malob.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.base.Splitter;
import io.malob.module.SettingReader;
import io.malob.testing.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterSettingsTest {
  private static final String MODULE = "io.malob.cluster.ClusterModule.";

  @TempDir Path directory;

  private static ClusterSettings read(Map<String, String> settings) throws Exception {
    return ClusterSettings.read(
        new SettingReader(ClusterModule.class, ClusterSettings.ALL, settings));
  }

  private Path file(String name, String content, String permissions) throws Exception {
    Path file = Files.writeString(directory.resolve(name), content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    return file;
  }

  @Test
  void settings_areRead() throws Exception {
    ClusterSettings settings =
        read(
            Map.of(
                "endpoints", "http://10.0.0.1:2379, http://[::1]:2379/,",
                "name", "left",
                "prefix", "/a/b-c/",
                "leaseSeconds", "5"));
    assertEquals("left", settings.node());
    assertEquals(5, settings.lease().toSeconds());
    assertEquals("http://10.0.0.1:2379,http://[::1]:2379", settings.access().shown());
    assertEquals("/a/b-c/", settings.access().prefix());
    assertTrue(settings.access().tls().isEmpty() && settings.access().login().isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "endpoints= | endpoints is missing",
        "endpoints=10.0.0.1:2379 | endpoints must be http://HOST:PORT or",
        "endpoints=http://10.0.0.1 | endpoints must be http://HOST:PORT or",
        "endpoints=http://root:secret@10.0.0.1:2379 | endpoints must be http://HOST:PORT or",
        "endpoints=ftp://10.0.0.1:2379 | endpoints must be http://HOST:PORT or",
        "endpoints=http://10.0.0.1:2379/x | endpoints must be http://HOST:PORT or",
        "name=a b | name must be 1 to 63 letters, digits or any of _ . -, not \"a b\"",
        "prefix=malob | prefix must be names between slashes, as /malob/, not \"malob\"",
        "leaseSeconds=1 | leaseSeconds must be a whole number from 2 to 60, not \"1\"",
        "caFile=ca.pem | caFile needs endpoints with https",
        "endpoints=https://10.0.0.1:2379;keyFile=k | certificateFile is missing",
        "user=u | passwordFile is missing",
        "passwordFile=p | user is missing",
        "user=u;passwordFile=p | user needs https, except on loopback addresses"
      })
  void wrongSetting_isNamed(String given, String problem) {
    Map<String, String> settings = new HashMap<>(Map.of("endpoints", "http://10.0.0.1:2379"));
    settings.putAll(Splitter.on(';').withKeyValueSeparator('=').split(given));
    FloodlightModuleException e =
        assertThrows(FloodlightModuleException.class, () -> read(settings));
    assertTrue(e.getMessage().startsWith(MODULE + problem), e.getMessage());
    assertFalse(e.getMessage().contains("secret"), e.getMessage());
  }

  @Test
  void password_isInAPrivateFile_andIsNeverShown() throws Exception {
    Map<String, String> settings =
        Map.of(
            "endpoints",
            "http://127.0.0.1:2379",
            "user",
            "malob",
            "passwordFile",
            file("password", "secret\n", "rw-r--r--").toString());
    FloodlightModuleException e =
        assertThrows(FloodlightModuleException.class, () -> read(settings));
    assertEquals(
        "etcd's password: "
            + directory.resolve("password")
            + " is accessible to other users; run chmod 600 on it",
        e.getMessage());
    file("password", "secret\n", "rw-------");
    ClusterSettings read = read(settings);
    assertEquals("secret", read.access().login().orElseThrow().password());
    assertFalse(read.toString().contains("secret"), read.toString());
  }

  @Test
  void tlsFiles_areRead_andWrongOnesAreNamed() throws Exception {
    TestCertificates.make(directory, "us");
    Path pem = directory.resolve("us.pem");
    Path key = directory.resolve("us.key");
    Map<String, String> settings =
        Map.of(
            "endpoints", "https://10.0.0.1:2379",
            "caFile", pem.toString(),
            "certificateFile", pem.toString(),
            "keyFile", key.toString());
    assertTrue(read(settings).access().tls().isPresent());
    Files.writeString(pem, "no certificate");
    FloodlightModuleException e =
        assertThrows(FloodlightModuleException.class, () -> read(settings));
    assertEquals("TLS to etcd: " + pem + " has no certificates in PEM format", e.getMessage());
  }
}
