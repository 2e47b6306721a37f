package io.malob.cluster;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** TLS for a client, from PEM files. */
final class PemTls {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----", Pattern.DOTALL);

  /** Key stores exist in memory only. */
  private static final char[] NO_PASSWORD = {};

  private PemTls() {}

  /**
   * A context, which follows changes of its files.
   *
   * @param authorities certificates of the authorities to trust; empty: those that Java knows
   * @param certificate our certificate with its chain, if servers ask for one
   * @param key its key (PKCS#8 without a password)
   * @throws IOException naming the file that cannot be used
   */
  static SSLContext context(
      Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key)
      throws IOException {
    return context(authorities, certificate, key, System::nanoTime);
  }

  /** The same, with another clock, which counts nanoseconds. */
  static SSLContext context(
      Optional<Path> authorities,
      Optional<Path> certificate,
      Optional<Path> key,
      LongSupplier nanoTime)
      throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          certificate.isPresent() && key.isPresent()
              ? new KeyManager[] {new PemKeys(certificate.get(), key.get(), nanoTime)}
              : null,
          authorities.isPresent()
              ? new TrustManager[] {new PemAuthorities(authorities.get(), nanoTime)}
              : null,
          null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Reads a certificate and its key. */
  static X509ExtendedKeyManager keys(Path certificate, Path key) throws IOException {
    PrivateFiles.check(key);
    try {
      KeyStore store = empty();
      store.setKeyEntry(
          "own",
          privateKey(key),
          NO_PASSWORD,
          certificates(certificate).toArray(new Certificate[0]));
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, NO_PASSWORD);
      return only(factory.getKeyManagers(), X509ExtendedKeyManager.class);
    } catch (GeneralSecurityException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Reads certificates of authorities. */
  static X509ExtendedTrustManager trust(Path authorities) throws IOException {
    try {
      KeyStore store = empty();
      for (Certificate each : certificates(authorities)) {
        store.setCertificateEntry("authority-" + store.size(), each);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return only(factory.getTrustManagers(), X509ExtendedTrustManager.class);
    } catch (GeneralSecurityException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static <T> T only(Object[] managers, Class<T> type) {
    return Stream.of(managers).filter(type::isInstance).map(type::cast).findFirst().orElseThrow();
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(Path file) throws IOException {
    try {
      Collection<? extends Certificate> certificates =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(read(file)));
      if (!certificates.isEmpty()) {
        return certificates;
      }
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " has no certificates in PEM format", e);
    }
    throw new IOException(file + " has no certificates in PEM format");
  }

  private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
    Matcher pem = KEY.matcher(new String(read(file), StandardCharsets.UTF_8));
    @Nullable PKCS8EncodedKeySpec encoded =
        pem.find() ? new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1))) : null;
    if (encoded != null) {
      for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
        try {
          return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
        } catch (InvalidKeySpecException e) {
          // of another algorithm
        }
      }
    }
    throw new IOException(file + " has no key in PEM format (PKCS#8 without a password)");
  }

  private static byte[] read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException(file + " cannot be read");
    }
    return Files.readAllBytes(file);
  }
}
