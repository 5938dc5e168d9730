package dev.holdfast.proveauth;

/**
 * Why a step is run again, or why a run failed. It has no phone number and no token in it.
 *
 * <p>It is unchecked, so that {@code authenticate} can be called in a {@code Runnable}. Catch it: without a network it is thrown.
 */
public class ProveAuthException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ProveAuthError error;
    private final long retryAfterSeconds;
    private String detail;

    protected ProveAuthException(ProveAuthError error, String message, long retryAfterSeconds, Throwable cause) {
        super(message, cause);
        this.error = error;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /**
     * The exception of an error, in the class that the app may look for.
     *
     * @param message the sentence for the person
     * @param retryAfterSeconds 0: unknown
     */
    public static ProveAuthException of(ProveAuthError error, String message, long retryAfterSeconds, Throwable cause) {
        switch (error) {
            case OTP_MISMATCH:
            case OTP_EXPIRED:
                return new OtpValidationException(error, message, retryAfterSeconds, cause);
            case PHONE_NUMBER_REQUIRED:
            case PHONE_NUMBER_INVALID:
            case PHONE_NUMBER_NOT_ALLOWED:
                return new PhoneNumberValidationException(error, message, retryAfterSeconds, cause);
            default:
                return new ProveAuthException(error, message, retryAfterSeconds, cause);
        }
    }

    /**
     * The same of a case.
     *
     * @param detail what the developer should know besides
     */
    public static ProveAuthException of(ProveAuthError error, String message, String detail) {
        ProveAuthException exception = of(error, message, 0, null);
        exception.detail = detail;
        return exception;
    }

    public ProveAuthError getError() {
        return error;
    }

    public int getCode() {
        return error.getCode();
    }

    /** What the developer should know; {@code getMessage} is for the person. */
    public String getDeveloperMessage() {
        return detail == null ? error.getDeveloperMessage() : error.getDeveloperMessage() + " " + detail;
    }

    /** After which to come back, where a limit was hit; 0: unknown. */
    public long getRetryAfterSeconds() {
        return retryAfterSeconds;
    }
}
