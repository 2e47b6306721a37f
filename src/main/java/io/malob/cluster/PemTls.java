package io.malob.cluster;

import com.google.common.collect.ImmutableList;
import io.malob.file.CertificateFiles;
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
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS for a client, from PEM files: a context of what these have now. Thread-safe. */
final class PemTls implements Supplier<SSLContext> {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----", Pattern.DOTALL);

  /** Key stores exist in memory only. */
  private static final char[] NO_PASSWORD = {};

  private final Optional<CertificateFiles<KeyManager[]>> own;
  private final Optional<CertificateFiles<TrustManager[]>> trusted;
  private KeyManager @Nullable [] usedKeys;
  private TrustManager @Nullable [] usedAuthorities;
  private @Nullable SSLContext context;

  /**
   * Reads the files.
   *
   * @param authorities certificates of the authorities to trust; empty: those that Java knows
   * @param certificate our certificate with its chain, if servers ask for one
   * @param key its key (PKCS#8 without a password)
   * @param nanoTime counts nanoseconds
   * @throws IOException naming the file that cannot be used
   */
  PemTls(
      Optional<Path> authorities,
      Optional<Path> certificate,
      Optional<Path> key,
      LongSupplier nanoTime)
      throws IOException {
    own =
        certificate.isPresent() && key.isPresent()
            ? Optional.of(
                new CertificateFiles<>(
                    ImmutableList.of(certificate.get(), key.get()),
                    () -> keys(certificate.get(), key.get()),
                    nanoTime))
            : Optional.empty();
    trusted =
        authorities.isPresent()
            ? Optional.of(
                new CertificateFiles<>(
                    ImmutableList.of(authorities.get()),
                    () -> authorities(authorities.get()),
                    nanoTime))
            : Optional.empty();
  }

  /** The same context until a file has changed. */
  @Override
  public synchronized SSLContext get() {
    KeyManager @Nullable [] keys = own.map(CertificateFiles::get).orElse(null);
    TrustManager @Nullable [] authorities = trusted.map(CertificateFiles::get).orElse(null);
    @Nullable SSLContext current = context;
    if (current == null || keys != usedKeys || authorities != usedAuthorities) {
      try {
        current = SSLContext.getInstance("TLS");
        current.init(keys, authorities, null);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e); // each Java platform has it
      }
      usedKeys = keys;
      usedAuthorities = authorities;
      context = current;
    }
    return current;
  }

  private static KeyManager[] keys(Path certificate, Path key) throws IOException {
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
      return factory.getKeyManagers();
    } catch (GeneralSecurityException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static TrustManager[] authorities(Path file) throws IOException {
    try {
      KeyStore store = empty();
      for (Certificate each : certificates(file)) {
        store.setCertificateEntry("authority-" + store.size(), each);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory.getTrustManagers();
    } catch (GeneralSecurityException e) {
      throw new IOException(e.getMessage(), e);
    }
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
