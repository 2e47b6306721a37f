package io.malob.testing;

import static org.junit.jupiter.api.Assertions.fail;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/**
 * A test of correct behaviour that the code does not have yet. It runs, and counts as skipped as
 * long as an assertion fails. If it passes, it fails: then the annotation is to be removed. Any
 * exception but an {@link AssertionError} fails it as usual, so that a test that no longer shows
 * the defect does not go unnoticed.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(KnownDefect.Inverter.class)
public @interface KnownDefect {
  /** What goes wrong for a user, in a sentence. */
  String value();

  /** Turns the outcomes of such tests around. */
  final class Inverter implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> called,
        ExtensionContext context)
        throws Throwable {
      invert(invocation, context);
    }

    @Override
    public void interceptTestTemplateMethod(
        Invocation<Void> invocation,
        ReflectiveInvocationContext<Method> called,
        ExtensionContext context)
        throws Throwable {
      invert(invocation, context);
    }

    private static void invert(Invocation<Void> invocation, ExtensionContext context)
        throws Throwable {
      try {
        invocation.proceed();
      } catch (AssertionError expected) {
        throw new TestAbortedException("known defect: " + defect(context), expected);
      }
      fail("passes now: remove the annotation @KnownDefect(\"" + defect(context) + "\")");
    }

    private static String defect(ExtensionContext context) {
      return AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), KnownDefect.class)
          .orElseThrow()
          .value();
    }
  }
}
