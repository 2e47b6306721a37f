package io.malob.cluster;

import com.google.common.collect.ImmutableList;
import io.malob.file.CertificateFiles;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** A client's certificate and key, as their files have them now. */
final class PemKeys extends X509ExtendedKeyManager {
  private final CertificateFiles<X509ExtendedKeyManager> current;

  PemKeys(Path certificate, Path key, LongSupplier nanoTime) throws IOException {
    current =
        new CertificateFiles<>(
            ImmutableList.of(certificate, key), () -> PemTls.keys(certificate, key), nanoTime);
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return current.get().getClientAliases(keyType, issuers);
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return current.get().chooseClientAlias(keyTypes, issuers, socket);
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return current.get().chooseEngineClientAlias(keyTypes, issuers, engine);
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return null; // of a client only
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return null; // of a client only
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    return current.get().getCertificateChain(alias);
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    return current.get().getPrivateKey(alias);
  }
}
