package dev.holdfast.proveauth.run;

/** What a step of the app has given. */
final class Given {
    enum Kind {
        /** A number or a code, in {@code text}; or nothing. */
        INPUT,
        RESEND,
        OTHER_NUMBER,
        /** The step gives up. */
        NOTHING
    }

    final Kind kind;
    /** Null: none. */
    final String text;
    /** What the step has thrown; null: nothing. */
    final Throwable cause;

    private Given(Kind kind, String text, Throwable cause) {
        this.kind = kind;
        this.text = text;
        this.cause = cause;
    }

    static Given input(String text) {
        return new Given(Kind.INPUT, text, null);
    }

    static Given of(Kind kind) {
        return new Given(kind, null, null);
    }

    static Given failure(Throwable cause) {
        return new Given(Kind.NOTHING, null, cause);
    }
}
