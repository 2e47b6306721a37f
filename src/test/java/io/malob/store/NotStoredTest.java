package io.malob.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.json.RejectedException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class NotStoredTest {
  @Test
  void storeThatIsUnavailable_is503_withItsReason() {
    RejectedException rejection =
        NotStored.rejection("no", new StoreUnavailableException("etcd has no quorum", null));
    assertEquals(503, rejection.status());
    assertEquals("the change could not be stored: etcd has no quorum", rejection.sentence());
  }

  @Test
  void documentThatIsTooLarge_is409_withTheLimit() {
    RejectedException rejection =
        NotStored.rejection("no", new DocumentTooLargeException("it has 9 bytes, more than 8"));
    assertEquals(409, rejection.status());
    assertEquals(
        "the change was not made, because it has 9 bytes, more than 8", rejection.sentence());
  }

  @Test
  void otherFailure_is500_andItsReasonIsForTheLog() {
    RejectedException rejection = NotStored.rejection("no", new IOException("disk full: /secret"));
    assertEquals(500, rejection.status());
    assertEquals("no", rejection.sentence());
  }
}
