package io.malob.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The class runs once with each profile that an edge switch may have. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ParameterizedClass
@EnumSource(
    value = SwitchProfile.class,
    names = {"FOUR_TABLES", "ONE_TABLE_WITH_GROUPS", "ONE_TABLE"})
public @interface EachSwitchProfile {}
