package dev.holdfast.proveauth;

/** The phone number cannot be used. */
public class PhoneNumberValidationException extends ProveAuthException {
    private static final long serialVersionUID = 1L;

    protected PhoneNumberValidationException(ProveAuthError error, String message, long retryAfterSeconds, Throwable cause) {
        super(error, message, retryAfterSeconds, cause);
    }
}
