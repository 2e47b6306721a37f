package io.malob.controller.rest;

import java.util.List;
import org.restlet.Response;
import org.restlet.data.ChallengeRequest;
import org.restlet.data.ChallengeScheme;
import org.restlet.data.Header;
import org.restlet.engine.Engine;
import org.restlet.engine.header.ChallengeWriter;
import org.restlet.engine.security.AuthenticatorHelper;
import org.restlet.util.Series;

/** Bearer tokens (RFC 6750) for Restlet, whose core does not support them. */
final class BearerScheme extends AuthenticatorHelper {

  private BearerScheme() {
    super(ChallengeScheme.HTTP_OAUTH_BEARER, false, true);
  }

  /** Registers them with Restlet; further calls do nothing. */
  static synchronized void register() {
    List<AuthenticatorHelper> known = Engine.getInstance().getRegisteredAuthenticators();
    if (known.stream().noneMatch(BearerScheme.class::isInstance)) {
      known.add(new BearerScheme());
    }
  }

  @Override
  public void formatRequest(
      ChallengeWriter writer,
      ChallengeRequest challenge,
      Response response,
      Series<Header> headers) {
    writer.appendQuotedChallengeParameter("realm", "MALOB");
  }
}
