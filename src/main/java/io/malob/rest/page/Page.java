package io.malob.rest.page;

import com.google.common.base.Splitter;
import io.malob.resource.Call;
import io.malob.resource.Reply;
import io.malob.resource.ResourceRoutable;
import io.malob.resource.RouteTable;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The web page, at {@code /ui/}. It uses only the controller's REST interface. Browsers cache its
 * files and revalidate each time; a file is read once. Safe for use by several threads.
 */
public final class Page {
  private static final String PATH = "/ui";

  /**
   * The browser loads and runs only the page's own files, sends requests only to the page's own
   * controller, and lets no other page frame it.
   */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final Splitter LIST = Splitter.on(',').trimResults();

  /** A quality of zero: not acceptable. */
  private static final Pattern REFUSED = Pattern.compile(".*;\\s*q=0(\\.0*)?\\s*");

  private final ConcurrentMap<String, PageFile> files = new ConcurrentHashMap<>();

  private Page() {}

  /** The page as resources. */
  public static ResourceRoutable resources() {
    return new ResourceRoutable(PATH, RouteTable.ofOne(new Page()::answer));
  }

  private Reply answer(Call call) {
    return file(call)
        .withHeader("Content-Security-Policy", POLICY)
        .withHeader("X-Content-Type-Options", "nosniff")
        .withHeader("Referrer-Policy", "no-referrer")
        .withHeader("Cross-Origin-Opener-Policy", "same-origin")
        .withHeader("Cross-Origin-Resource-Policy", "same-origin");
  }

  private Reply file(Call call) {
    if (!Set.of("GET", "HEAD").contains(call.method())) {
      return refusal(405, "The page accepts only GET and HEAD.").withHeader("Allow", "GET, HEAD");
    }
    String name = call.uri().substring(PATH.length());
    if (name.isEmpty()) {
      // names in the page are relative to the folder
      return Reply.redirect(301, call.site() + PATH + "/");
    }
    return file(name.equals("/") ? "index.html" : name.substring(1))
        .map(file -> shown(file, takesGzip(call)))
        .orElseGet(() -> refusal(404, "There is no such file. The page is at /ui/"));
  }

  private Optional<PageFile> file(String name) {
    @Nullable PageFile known = files.get(name);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<PageFile> read = PageFile.read(name);
    read.ifPresent(file -> files.put(name, file));
    return read;
  }

  private static Reply shown(PageFile file, boolean isZipped) {
    Reply reply =
        Reply.document(file.type(), isZipped ? file.gzipped() : file.bytes())
            .withTag("W/\"" + file.tag() + (isZipped ? "-gzip\"" : "\""))
            .withHeader("Vary", "Accept-Encoding")
            .revalidated();
    return isZipped ? reply.withHeader("Content-Encoding", "gzip") : reply;
  }

  private static boolean takesGzip(Call call) {
    return LIST.splitToList(call.header("Accept-Encoding").orElse("")).stream()
        .anyMatch(
            each ->
                each.split(";", 2)[0].strip().equals("gzip") && !REFUSED.matcher(each).matches());
  }

  private static Reply refusal(int status, String sentence) {
    return Reply.document("text/plain", sentence.getBytes(StandardCharsets.UTF_8))
        .withStatus(status);
  }
}
