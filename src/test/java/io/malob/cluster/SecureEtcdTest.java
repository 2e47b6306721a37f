package io.malob.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import io.malob.cluster.etcd.Etcd;
import io.malob.cluster.etcd.EtcdAccess;
import io.malob.cluster.etcd.HttpEtcd;
import io.malob.testing.EtcdServer;
import io.malob.testing.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real servers that let in whom they know. */
@Tag("real-time")
@Timeout(60)
class SecureEtcdTest {
  @TempDir Path directory;

  @BeforeAll
  static void assumeInstalled() {
    EtcdServer.assumeInstalled();
  }

  private static void put(EtcdAccess access) throws Exception {
    try (Etcd etcd = new HttpEtcd(access)) {
      etcd.commit(List.of(), List.of(new Etcd.Change.Put("key", "value", 0))).get();
      assertEquals("value", etcd.read("key").get().items().get(0).value());
    }
  }

  private static String refusal(EtcdAccess access) {
    return assertThrows(ExecutionException.class, () -> put(access)).getCause().getMessage();
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  @Test
  void tls_withCertificatesOnBothSides() throws Exception {
    TestCertificates.make(directory, "etcd");
    TestCertificates.make(directory, "malob");
    TestCertificates.make(directory, "stranger");
    try (EtcdServer server =
        EtcdServer.start(
            directory,
            "--cert-file=" + file("etcd.pem"),
            "--key-file=" + file("etcd.key"),
            "--client-cert-auth",
            // the gateway is a client of its own server
            "--trusted-ca-file=" + concatenated("malob.pem", "etcd.pem"))) {
      put(tls(server, "etcd", Optional.of("malob")));
      String why = refusal(tls(server, "malob", Optional.of("malob")));
      assertTrue(why.contains(server.endpoint() + ": TLS failed: "), why);
      why = refusal(tls(server, "etcd", Optional.of("stranger")));
      assertTrue(why.startsWith("etcd has no quorum or cannot be reached"), why);
      why = refusal(tls(server, "etcd", Optional.empty()));
      assertTrue(why.startsWith("etcd has no quorum or cannot be reached"), why);
    }
  }

  private Path concatenated(String... names) throws Exception {
    StringBuilder all = new StringBuilder();
    for (String name : names) {
      all.append(Files.readString(file(name)));
    }
    return Files.writeString(file("clients.pem"), all);
  }

  private EtcdAccess tls(EtcdServer server, String authority, Optional<String> us)
      throws Exception {
    PemTls tls =
        new PemTls(
            Optional.of(file(authority + ".pem")),
            us.map(name -> file(name + ".pem")),
            us.map(name -> file(name + ".key")),
            System::nanoTime);
    return new EtcdAccess(
        ImmutableList.of(server.endpoint()),
        "/malob/",
        EtcdAccess.TIMEOUT,
        Optional.of(tls),
        Optional.empty());
  }

  @Test
  void users_areLetInWithTheirPassword_andAgainWhenTheTokenExpires() throws Exception {
    try (EtcdServer server = EtcdServer.start(directory, "--auth-token-ttl=2")) {
      server.post("/v3/auth/user/add", "{\"name\":\"root\",\"password\":\"secret\"}");
      server.post("/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
      server.post("/v3/auth/enable", "{}");
      String why = refusal(login(server, Optional.empty()));
      assertEquals("etcd refused the request: user name is empty", why);
      why = refusal(login(server, Optional.of("hidden")));
      assertTrue(why.contains("the login failed: authentication failed"), why);
      assertFalse(why.contains("hidden"), why);
      EtcdAccess access = login(server, Optional.of("secret"));
      put(access);
      try (Etcd etcd = new HttpEtcd(access)) {
        etcd.read("key").get();
        Thread.sleep(4000);
        assertEquals(1, etcd.read("key").get().items().size());
      }
    }
  }

  private static EtcdAccess login(EtcdServer server, Optional<String> password) {
    return new EtcdAccess(
        ImmutableList.of(server.endpoint()),
        "/malob/",
        EtcdAccess.TIMEOUT,
        Optional.empty(),
        password.map(word -> new EtcdAccess.Login("root", word)));
  }
}
