package dev.holdfast.proveauth;

import java.util.Locale;

/** What can go wrong. The same table as `Clients/vectors/errors.json`. */
public enum ProveAuthError {
    INVALID_REQUEST(1001, 400,
            "The server did not accept the form of a call. This is a bug in the client, or its version does not fit the server.",
            "Something went wrong. Please try again later."),
    INVALID_TOKEN(20001, 401,
            "The server does not take the auth token: it has expired, or is of another server. The backend starts a new session.",
            "This took too long. Please start again."),
    INVALID_DPOP_PROOF(20002, 401,
            "The server did not accept the proof of a call: the device's clock is wrong, or the server is reached by another URL than its publicUrl.",
            "The time of your device seems to be wrong. Please correct it and try again."),
    TOKEN_ALREADY_USED(20003, 401,
            "Another key has redeemed the auth token: that of another client, or of a run that is over. Each session takes one run only.",
            "This was already opened. Please start again."),
    ORIGIN_NOT_ALLOWED(20004, 403,
            "The page's origin is not registered with the API client.",
            "Something went wrong. Please try again later."),
    INVALID_STATE(20010, 409,
            "The call is not allowed at this step of the session.",
            "Something went wrong. Please try again."),
    SESSION_DONE(20011, 410,
            "The session has ended.",
            "This has already ended. Please start again."),
    REQUEST_ID_REUSED(20012, 422,
            "A requestId was sent again with another body. This is a bug in the client.",
            "Something went wrong. Please try again later."),
    OTP_MISMATCH(10001, 400,
            "The code is wrong or has no form of a code.",
            "That code is not right. Please check it and try again."),
    OTP_EXPIRED(20101, 400,
            "The code is too old.",
            "That code is too old. Please ask for a new one."),
    SENDS_EXHAUSTED(20102, 403,
            "No message is left in this session. A live code still counts.",
            "No more messages can be sent. Please use the last one."),
    PHONE_NUMBER_REQUIRED(20103, 400,
            "A phone number is needed, and the step gave none.",
            "Please enter your phone number."),
    PHONE_NUMBER_INVALID(20104, 400,
            "The text is no possible phone number.",
            "That is not a phone number. Please check it."),
    PHONE_NUMBER_NOT_ALLOWED(20105, 403,
            "Numbers of this kind or country are not allowed.",
            "This number cannot be used. Please try another one."),
    PHONE_NUMBER_NOT_ACCEPTED(20106, 403,
            "The backend has named the number; the client must not.",
            "Something went wrong. Please try again later."),
    PHONE_CHANGE_NOT_ALLOWED(20106, 403,
            "The API client does not allow another number.",
            "The number cannot be changed here."),
    PHONE_ENTRIES_EXHAUSTED(20107, 403,
            "No other number can be named in this session.",
            "No other number can be entered."),
    SMS_FAILED(20108, 502,
            "No gateway took the message. The session has it back; the limits of its number counted it.",
            "The message could not be sent. Please try again."),
    OTP_UNAVAILABLE(20109, 403,
            "No code can be sent in this session.",
            "A code cannot be sent to this number."),
    LINK_DENIED(20201, 200,
            "The person refused on the phone. It stands in the state only.",
            "The request was refused on the phone."),
    LINK_EXPIRED(20202, 200,
            "The link was not opened in time. It stands in the state, or the wait is over.",
            "The link was not opened in time. Please start again."),
    LINK_IP_MISMATCH(20203, 200,
            "The link was opened from another network. It stands in the state only.",
            "The link was opened on another network."),
    LINK_PHONE_MISMATCH(20204, 200,
            "The link was opened on another phone. It stands in the state only.",
            "The link was opened on another phone."),
    LINK_MATCH_CODE_MISMATCH(20205, 200,
            "The person typed another number than the waiting page shows. It stands in the state only.",
            "The number that was typed is not the one shown here. Please start again."),
    VFP_INVALID(20301, 400,
            "The result of Mobile Auth does not belong to this attempt.",
            "Something went wrong. Please try again."),
    VFP_EXPIRED(20302, 400,
            "The result of Mobile Auth came too late.",
            "Something went wrong. Please try again."),
    MOBILE_AUTH_UNAVAILABLE(20303, 200,
            "The mobile network gave no answer. It stands in the state only.",
            "Your mobile network could not confirm the number."),
    MOBILE_AUTH_MISMATCH(20304, 200,
            "The mobile network named another number. It stands in the state only.",
            "Your mobile network could not confirm the number."),
    DEVICE_PROOF_INVALID(20401, 400,
            "The device proof was not accepted.",
            "Something went wrong. Please try again."),
    DEVICE_NUMBER_MISMATCH(20402, 403,
            "The device key belongs to another number.",
            "This device belongs to another number."),
    RATE_LIMITED(20900, 429,
            "Too many calls; retryAfterSeconds tells when to come back.",
            "Too many tries. Please wait a little."),
    INTERNAL(1000, 500,
            "The server has failed or is overloaded (also 503).",
            "Something went wrong. Please try again later."),
    NETWORK(30001, 0,
            "The server could not be reached, or what answered is not Holdfast.",
            "No connection. Please check your network and try again."),
    CANCELLED(30002, 0,
            "A step gave up, or the app cancelled. What the step said is the cause.",
            "Cancelled."),
    STEP_MISSING(30003, 0,
            "The session needs a step that the app did not give to the builder.",
            "Something went wrong. Please try again later."),
    NO_CHECK_LEFT(30004, 0,
            "No check is left that could prove the number.",
            "Your number could not be confirmed."),
    TOO_MANY_STEPS(30005, 0,
            "The run has made more calls or run more steps than a person can need.",
            "Too many tries. Please start again."),
    KEY_UNAVAILABLE(30006, 0,
            "Keys cannot be made or kept here: the page is not secure (https or localhost), or storage is closed.",
            "This browser or device cannot be used here."),
    STEP_INVALID(30007, 0,
            "A step of the app gave something of a wrong type.",
            "Something went wrong. Please try again later."),
    TOKEN_MISSING(30008, 0,
            "authenticate was called without an auth token. The backend starts a session and gives the app its authToken.",
            "Something went wrong. Please try again later."),
    TOKEN_MALFORMED(30009, 0,
            "What authenticate was given is no auth token.",
            "Something went wrong. Please try again later."),
    SERVER_NOT_EXPECTED(30010, 0,
            "The auth token is of a server that this app does not call.",
            "Something went wrong. Please try again later.");

    private final int code;
    private final int status;
    private final String developerMessage;
    private final String message;

    ProveAuthError(int code, int status, String developerMessage, String message) {
        this.code = code;
        this.status = status;
        this.developerMessage = developerMessage;
        this.message = message;
    }

    /** The name in the protocol, such as {@code otp_mismatch}. */
    public String getName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public int getCode() {
        return code;
    }

    /** What the developer should know. */
    public String getDeveloperMessage() {
        return developerMessage;
    }

    /** A sentence for the person; the builder's {@code withMessages} replaces it. */
    public String getMessage() {
        return message;
    }

    /** The error that an answer stands for. One with a strange name is taken by its status. */
    public static ProveAuthError of(int status, Object name) {
        for (ProveAuthError error : values()) {
            // Errors of the client itself never come from a server.
            if (error.status != 0 && error.getName().equals(name)) {
                return error;
            }
        }
        if (status == 429) {
            return RATE_LIMITED;
        }
        return status >= 500 ? INTERNAL : INVALID_REQUEST;
    }
}
