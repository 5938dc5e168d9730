package android.content;

/** Stands in for Android's. */
public class Context {}
