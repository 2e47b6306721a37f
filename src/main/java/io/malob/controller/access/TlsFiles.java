package io.malob.controller.access;

import com.google.common.collect.ImmutableList;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/**
 * The certificate of a TLS port, as PEM files.
 *
 * @param certificate of the controller
 * @param privateKey that belongs to it
 * @param clientAuthorities if present, every client needs a certificate of these authorities
 */
public record TlsFiles(Path certificate, Path privateKey, Optional<Path> clientAuthorities) {
  private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

  private static final Setting<String> CERTIFICATE =
      Setting.text("certificate", "")
          .describedAs("The controller's certificate with its chain, a PEM file, for TLS.");
  private static final Setting<String> PRIVATE_KEY =
      Setting.text("privateKey", "")
          .describedAs(
              "The key of the certificate, a PEM file (PKCS#8) without a password, with mode"
                  + " 0600.");
  private static final Setting<String> CLIENT_AUTHORITIES =
      Setting.text("clientAuthorities", "")
          .describedAs(
              "The certificates of authorities, a PEM file: each client needs a certificate of"
                  + " these.");

  /** The settings that name the files. */
  public static final ImmutableList<Setting<?>> SETTINGS =
      ImmutableList.of(CERTIFICATE, PRIVATE_KEY, CLIENT_AUTHORITIES);

  /**
   * From a module's settings; empty without TLS settings.
   *
   * @throws FloodlightModuleException naming the setting that is missing
   */
  public static Optional<TlsFiles> read(SettingReader settings) throws FloodlightModuleException {
    String certificate = settings.get(CERTIFICATE);
    String key = settings.get(PRIVATE_KEY);
    String authorities = settings.get(CLIENT_AUTHORITIES);
    if (certificate.isEmpty() && key.isEmpty() && authorities.isEmpty()) {
      return Optional.empty();
    }
    if (certificate.isEmpty() || key.isEmpty()) {
      throw settings.wrong(
          certificate.isEmpty() ? CERTIFICATE : PRIVATE_KEY,
          "is missing: TLS needs certificate and privateKey");
    }
    return Optional.of(
        new TlsFiles(
            Path.of(certificate),
            Path.of(key),
            authorities.isEmpty() ? Optional.empty() : Optional.of(Path.of(authorities))));
  }

  /** Whether every client needs a certificate. */
  public boolean wantsClients() {
    return clientAuthorities.isPresent();
  }

  /**
   * The context of these files, which follows their changes.
   *
   * @throws IOException naming the file that cannot be used
   */
  public SslContext load() throws IOException {
    return new ReloadingTls(this, System::nanoTime);
  }

  /** The files. */
  ImmutableList<Path> all() {
    return Stream.concat(Stream.of(certificate, privateKey), clientAuthorities.stream())
        .collect(ImmutableList.toImmutableList());
  }

  /** Reads the files, as they are now. */
  SslContext read() throws IOException {
    check(certificate);
    check(privateKey);
    PrivateFile.check(privateKey);
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(certificate.toFile(), privateKey.toFile())
              .sslProvider(SslProvider.JDK)
              .protocols(VERSIONS);
      if (clientAuthorities.isPresent()) {
        check(clientAuthorities.get());
        builder.trustManager(clientAuthorities.get().toFile()).clientAuth(ClientAuth.REQUIRE);
      }
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "TLS with "
              + certificate
              + " and "
              + privateKey
              + ": "
              + e.getMessage()
              + " (expected: PEM files, the key as PKCS#8 without a password)",
          e);
    }
  }

  private static void check(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException(file + " cannot be read");
    }
  }
}
