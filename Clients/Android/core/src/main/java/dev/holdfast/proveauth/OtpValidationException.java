package dev.holdfast.proveauth;

/** The code was wrong or too old. */
public class OtpValidationException extends ProveAuthException {
    private static final long serialVersionUID = 1L;

    protected OtpValidationException(ProveAuthError error, String message, long retryAfterSeconds, Throwable cause) {
        super(error, message, retryAfterSeconds, cause);
    }
}
