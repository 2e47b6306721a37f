package io.malob.cluster;

import com.google.common.collect.ImmutableList;
import io.malob.file.CertificateFiles;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** The authorities that a client trusts, as their file has them now. */
final class PemAuthorities extends X509ExtendedTrustManager {
  private final CertificateFiles<X509ExtendedTrustManager> current;

  PemAuthorities(Path authorities, LongSupplier nanoTime) throws IOException {
    current =
        new CertificateFiles<>(
            ImmutableList.of(authorities), () -> PemTls.trust(authorities), nanoTime);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    current.get().checkServerTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    current.get().checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    current.get().checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw clientsOnly();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    throw clientsOnly();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    throw clientsOnly();
  }

  private static CertificateException clientsOnly() {
    return new CertificateException("these authorities are of a client, which has no clients");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return current.get().getAcceptedIssuers();
  }
}
