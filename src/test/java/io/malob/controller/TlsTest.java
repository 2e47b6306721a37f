package io.malob.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.controller.module.ModuleSettings;
import io.malob.testing.ScriptedSwitch;
import io.malob.testing.SwitchRecorder;
import io.malob.testing.TestCertificates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both ports over TLS with certificates, and switches that are not listed. */
class TlsTest {
  private static final String REST = "io.malob.controller.rest.RestModule.";
  private static final String CORE = "io.malob.controller.core.CoreModule.";
  private static final String SWITCHES = "/wm/core/controller/switches/json";

  @TempDir static Path files;

  private static KeyStore controllers;
  private static KeyStore alices;
  private static KeyStore bobs;
  private static KeyStore strangers;

  @BeforeAll
  static void makeCertificates() throws Exception {
    controllers = TestCertificates.make(files, "controller");
    alices = TestCertificates.make(files, "alice");
    bobs = TestCertificates.make(files, "bob");
    strangers = TestCertificates.make(files, "stranger");
    Files.writeString(
        files.resolve("clients.pem"),
        Files.readString(files.resolve("alice.pem")) + Files.readString(files.resolve("bob.pem")));
  }

  private static EmbeddedController start(Map<String, String> more) throws Exception {
    return EmbeddedController.start(
        ModuleSettings.parse("")
            .overlaidWith(EmbeddedControllerTest.FREE_PORTS)
            .overlaidWith(more));
  }

  private static Map<String, String> certificatesOf(String module) {
    Map<String, String> settings = new HashMap<>();
    settings.put(module + "certificate", files.resolve("controller.pem").toString());
    settings.put(module + "privateKey", files.resolve("controller.key").toString());
    settings.put(module + "clientAuthorities", files.resolve("clients.pem").toString());
    return settings;
  }

  private static SSLContext as(KeyStore own) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, TestCertificates.password());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("controller", controllers.getCertificate("own"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static int status(EmbeddedController controller, KeyStore own, String method)
      throws Exception {
    return response(controller, own, method).statusCode();
  }

  private static HttpResponse<String> response(
      EmbeddedController controller, KeyStore own, String method) throws Exception {
    URI uri = URI.create("https://127.0.0.1:" + controller.httpPort() + SWITCHES);
    return HttpClient.newBuilder()
        .sslContext(as(own))
        .build()
        .send(
            HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody()).build(),
            BodyHandlers.ofString());
  }

  @Test
  void rest_clientsCertificates_countByTheirName() throws Exception {
    Map<String, String> settings = certificatesOf(REST);
    settings.put(REST + "administrators", "alice");
    settings.put(REST + "host", "0.0.0.0");
    try (EmbeddedController controller = start(settings)) {
      assertEquals(200, status(controller, alices, "GET"));
      assertEquals(405, status(controller, alices, "POST"));
      assertEquals(200, status(controller, bobs, "GET"));
      assertEquals(403, status(controller, bobs, "POST"));
      assertThrows(IOException.class, () -> status(controller, strangers, "GET"));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, ''", "86400, max-age=86400"})
  void rest_browsersAreToldToUseHttpsOnly_bySettingAlone(int seconds, String value)
      throws Exception {
    Map<String, String> settings = certificatesOf(REST);
    settings.put(REST + "strictTransportSeconds", Integer.toString(seconds));
    try (EmbeddedController controller = start(settings)) {
      assertEquals(
          value,
          response(controller, alices, "GET")
              .headers()
              .firstValue("Strict-Transport-Security")
              .orElse(""));
    }
  }

  /** Names that a certificate may lack, have in several places, or have twice. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "O=Monitoring | ip:127.0.0.1 | 403",
        "CN=bob+OU=ops, O=Monitoring | ip:127.0.0.1 | 403",
        "CN=alice+OU=ops, O=Monitoring | ip:127.0.0.1 | 405",
        "CN=bob, CN=alice | ip:127.0.0.1 | 403",
        "CN=alice, CN=bob | ip:127.0.0.1 | 405",
        "O=Monitoring | dns:Ops.example | 405",
        "O=Monitoring | uri:spiffe://example/ops | 405",
        "O=Monitoring | dns:alice | 403",
        "CN=DNS:ops.example | ip:127.0.0.1 | 403",
      })
  void rest_clientsCertificate_isNeverAnonymous(String subject, String names, int status)
      throws Exception {
    Path own = Files.createTempDirectory(files, "named");
    KeyStore keys = TestCertificates.make(own, "client", subject, names);
    Map<String, String> settings = certificatesOf(REST);
    settings.put(REST + "clientAuthorities", own.resolve("client.pem").toString());
    settings.put(REST + "administrators", "alice, DNS:ops.example, URI:spiffe://example/ops");
    try (EmbeddedController controller = start(settings)) {
      assertEquals(200, status(controller, keys, "GET"));
      assertEquals(status, status(controller, keys, "POST"));
    }
  }

  @Test
  void rest_keyThatOthersCanRead_isRefused() throws Exception {
    Path key = files.resolve("open.key");
    Files.copy(files.resolve("controller.key"), key);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
    Map<String, String> settings = certificatesOf(REST);
    settings.put(REST + "privateKey", key.toString());
    UncheckedIOException refused = assertThrows(UncheckedIOException.class, () -> start(settings));
    assertTrue(String.valueOf(refused.getMessage()).contains("chmod 600"), refused.toString());
  }

  @ParameterizedTest
  @CsvSource({"certificate", "privateKey"})
  void settings_halfOfTls_areRefusedByName(String missing) {
    Map<String, String> settings = certificatesOf(CORE);
    settings.remove(CORE + missing);
    FloodlightModuleException refused =
        assertThrows(FloodlightModuleException.class, () -> start(settings));
    assertTrue(String.valueOf(refused.getMessage()).startsWith(CORE + missing + " is missing"));
  }

  @Test
  void openFlow_overTls_greetsOnlyWhoHasACertificate() throws Exception {
    try (EmbeddedController controller = start(certificatesOf(CORE))) {
      assertEquals(6, firstByte(controller, alices)); // HELLO of OpenFlow 1.5
      assertThrows(IOException.class, () -> firstByte(controller, strangers));
    }
  }

  /** What the controller says first, to a switch that waits for that: its version. */
  private static int firstByte(EmbeddedController controller, KeyStore own) throws Exception {
    try (SSLSocket socket =
        (SSLSocket)
            as(own).getSocketFactory().createSocket("127.0.0.1", controller.openFlowPort())) {
      socket.setSoTimeout(10_000);
      int first = socket.getInputStream().read();
      if (first < 0) {
        throw new IOException("closed");
      }
      return first;
    }
  }

  @Test
  void switch_notListed_isDisconnectedAndTheListedOneIsNot() throws Exception {
    try (EmbeddedController controller =
            start(Map.of(CORE + "switches", "1, 00:00:00:00:00:00:00:03"));
        ScriptedSwitch other = new ScriptedSwitch(2, 1);
        ScriptedSwitch listed = new ScriptedSwitch(3, 1)) {
      SwitchRecorder recorder = new SwitchRecorder();
      controller.context().getServiceImpl(IOFSwitchService.class).addOFSwitchListener(recorder);
      other.connect(controller.openFlowPort()).awaitClosed();
      listed.connect(controller.openFlowPort());
      recorder.await("activated " + listed.id());
      assertTrue(
          recorder.events().stream().noneMatch(event -> event.contains(other.id().toString())));
      assertEquals(0, other.flowMods().size());
    }
  }
}
