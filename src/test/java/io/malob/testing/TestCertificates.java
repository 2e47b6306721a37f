package io.malob.testing;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * Certificates that vouch for themselves, made by the JDK's keytool: files NAME.p12, .pem, .key.
 */
public final class TestCertificates {
  private static final String PASSWORD = "for-tests";

  private TestCertificates() {}

  /** Makes one for this common name, good for 127.0.0.1; its key store is given back. */
  public static KeyStore make(Path directory, String name) throws Exception {
    return make(directory, name, "CN=" + name, "ip:127.0.0.1");
  }

  /** Makes one for this subject and these alternative names, in keytool's notation. */
  public static KeyStore make(Path directory, String name, String subject, String alternatives)
      throws Exception {
    Path store = directory.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    "own",
                    "-keyalg",
                    "EC",
                    "-dname",
                    subject,
                    "-ext",
                    "SAN=" + alternatives,
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    PASSWORD,
                    "-keystore",
                    store.toString()))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    if (keytool.waitFor() != 0) {
      throw new AssertionError(Files.readString(directory.resolve("keytool.log")));
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, password());
    }
    Path key = directory.resolve(name + ".key");
    Files.createFile(
        key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    write(key, "PRIVATE KEY", keys.getKey("own", password()).getEncoded());
    write(directory.resolve(name + ".pem"), "CERTIFICATE", keys.getCertificate("own").getEncoded());
    return keys;
  }

  /** Of the key stores and what is in them. */
  public static char[] password() {
    return PASSWORD.toCharArray();
  }

  private static void write(Path file, String kind, byte[] bytes) throws Exception {
    String lines =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes);
    Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + lines + "\n-----END " + kind + "-----\n");
  }
}
