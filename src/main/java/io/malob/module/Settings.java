package io.malob.module;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The names of a module's settings. It reads no others, and does not start with others. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Settings {
  /** The names. */
  String[] value();

  /** Deprecated names that are still accepted, each as {@code old=new}. */
  String[] deprecated() default {};
}
