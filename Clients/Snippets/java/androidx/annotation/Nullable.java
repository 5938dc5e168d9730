package androidx.annotation;

/** Stands in for the one of Android's libraries. */
public @interface Nullable {}
