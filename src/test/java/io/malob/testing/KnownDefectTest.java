package io.malob.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.testing.KnownDefect.Inverter;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor.Invocation;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/** A test of a known defect is skipped while it fails, and fails once it passes. */
class KnownDefectTest {
  @KnownDefect("Two and two are five.")
  @SuppressWarnings("unused") // by its name
  void annotated() {}

  @Test
  void testThatFailsIsSkippedWithItsSentence() {
    AssertionError wrong = new AssertionError("5");
    TestAbortedException skipped =
        assertThrows(
            TestAbortedException.class,
            () ->
                run(
                    () -> {
                      throw wrong;
                    }));
    assertEquals("known defect: Two and two are five.", skipped.getMessage());
    assertSame(wrong, skipped.getCause());
  }

  @Test
  void testThatPassesFails() {
    AssertionError failure = assertThrows(AssertionError.class, () -> run(() -> null));
    assertEquals(
        "passes now: remove the annotation @KnownDefect(\"Two and two are five.\")",
        failure.getMessage());
  }

  @Test
  void otherExceptionsAreNotTheDefect() {
    IllegalStateException broken = new IllegalStateException("the fixture is broken");
    assertSame(
        broken,
        assertThrows(
            IllegalStateException.class,
            () ->
                run(
                    () -> {
                      throw broken;
                    })));
  }

  private static void run(Invocation<Void> test) throws Throwable {
    Method method = KnownDefectTest.class.getDeclaredMethod("annotated");
    ExtensionContext context =
        Stub.of(ExtensionContext.class).on("getRequiredTestMethod", any -> method).make();
    @SuppressWarnings("unchecked")
    ReflectiveInvocationContext<Method> called = Stub.of(ReflectiveInvocationContext.class).make();
    new Inverter().interceptTestMethod(test, called, context);
  }
}
