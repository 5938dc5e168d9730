package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.OperatorTokenInput;

/** What a step of the app has given. */
final class Given {
    enum Kind {
        /** A number or a code, in {@code text}, or a token; or nothing. */
        INPUT,
        RESEND,
        OTHER_NUMBER,
        /** The step gives up. */
        NOTHING
    }

    final Kind kind;
    /** Null: none. */
    final String text;
    /** Of the phone's operator; null: none. */
    final OperatorTokenInput token;
    /** What the step has thrown; null: nothing. */
    final Throwable cause;

    private Given(Kind kind, String text, OperatorTokenInput token, Throwable cause) {
        this.kind = kind;
        this.text = text;
        this.token = token;
        this.cause = cause;
    }

    static Given input(String text) {
        return new Given(Kind.INPUT, text, null, null);
    }

    static Given token(OperatorTokenInput token) {
        return new Given(Kind.INPUT, null, token, null);
    }

    static Given of(Kind kind) {
        return new Given(kind, null, null, null);
    }

    static Given failure(Throwable cause) {
        return new Given(Kind.NOTHING, null, null, cause);
    }
}
