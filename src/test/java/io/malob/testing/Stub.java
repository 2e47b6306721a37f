package io.malob.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes an object of an interface of which only some methods are called, by the names of those
 * methods; any other fails the test. For simulations, whose very many calls a mocking library would
 * take too long for.
 */
public final class Stub<T> implements InvocationHandler {
  private final Class<T> type;
  private final Map<String, Function<Object[], @Nullable Object>> answers = new HashMap<>();

  private Stub(Class<T> type) {
    this.type = type;
  }

  /** A stub that answers nothing yet. */
  public static <T> Stub<T> of(Class<T> type) {
    return new Stub<>(type);
  }

  /** Answers calls of that method, whichever arguments it has. */
  public Stub<T> on(String method, Function<Object[], @Nullable Object> answer) {
    answers.put(method, answer);
    return this;
  }

  /** The object. */
  public T make() {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
    Function<Object[], @Nullable Object> answer = answers.get(method.getName());
    if (answer != null) {
      return answer.apply(arguments == null ? new Object[0] : arguments);
    }
    return switch (method.getName()) {
      case "toString" -> "stub of " + type.getSimpleName();
      case "hashCode" -> System.identityHashCode(proxy);
      case "equals" -> arguments != null && proxy == arguments[0];
      default -> throw new AssertionError("not expected here: " + method);
    };
  }
}
