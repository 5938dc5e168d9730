package dev.holdfast.proveauth.run;

import dev.holdfast.proveauth.AuthFinishStep;
import dev.holdfast.proveauth.InstantLinkRetryStep;
import dev.holdfast.proveauth.InstantLinkStartStep;
import dev.holdfast.proveauth.OperatorTokenStep;
import dev.holdfast.proveauth.OtpFinishStep;
import dev.holdfast.proveauth.OtpStartStep;
import dev.holdfast.proveauth.ProveAuthError;
import dev.holdfast.proveauth.ProveAuthException;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the builder was told. Not changed once a run has it; null: not given. */
public final class Settings implements Cloneable {
    public AuthFinishStep finish;
    public OtpStartStep otpStart;
    public OtpFinishStep otpFinish;
    public InstantLinkStartStep linkStart;
    public InstantLinkRetryStep linkRetry;
    public OperatorTokenStep operatorToken;
    public boolean isSecondary;
    public boolean usesDeviceKey = true;
    public boolean isTestMode;
    public String appHash;
    public List<String> servers = Collections.emptyList();
    /** Sentences for the person, by name of the error. */
    public Map<String, String> messages = Collections.emptyMap();

    public Settings copy() {
        try {
            return (Settings) clone();
        } catch (CloneNotSupportedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** @param detail what the developer should know of the case; null: nothing */
    ProveAuthException error(ProveAuthError error, String detail) {
        String message = messages.get(error.getName());
        return ProveAuthException.of(error, message == null ? error.getMessage() : message, detail);
    }

    ProveAuthException error(ProveAuthError error, long retryAfterSeconds, Throwable cause) {
        String message = messages.get(error.getName());
        return ProveAuthException.of(error, message == null ? error.getMessage() : message, retryAfterSeconds, cause);
    }
}
