package dev.holdfast.proveauth.run;

import java.util.List;
import java.util.Map;

/** What the server answers; {@code docs/clients/protocol.md} describes it. */
final class State {
    final long rev;
    final String outcome;
    final String step;
    final long expiresAt;
    final boolean isDone;
    final boolean isPhoneNeeded;
    /** Null: none. */
    final String challenge;
    final boolean isRotating;
    /** Null: none. */
    final Long codeExpiresAt;
    final boolean hasOtpSends;
    final boolean hasPhoneEntries;
    /** Null: none. */
    final Long waitUntil;
    /** Null: none. */
    final Object linkError;
    private final List<?> allowed;

    private State(Map<String, Object> body, Map<String, Object> phone, Map<String, Object> device, long expiresAt) {
        rev = (Long) body.get("rev");
        isDone = "done".equals(body.get("status"));
        outcome = String.valueOf(body.get("outcome"));
        step = String.valueOf(body.get("step"));
        allowed = (List<?>) body.get("allowed");
        this.expiresAt = expiresAt;
        isPhoneNeeded = Boolean.TRUE.equals(phone.get("needed"));
        challenge = device.get("challenge") instanceof String ? (String) device.get("challenge") : null;
        isRotating = Boolean.TRUE.equals(device.get("rotate"));
        Map<String, Object> otp = Json.map(body.get("otp"));
        codeExpiresAt = otp == null ? null : Values.moment(otp.get("codeExpiresAt"));
        hasOtpSends = otp == null || !Long.valueOf(0).equals(otp.get("sendsLeft"));
        hasPhoneEntries = otp == null || !Long.valueOf(0).equals(otp.get("phoneEntriesLeft"));
        Map<String, Object> link = Json.map(body.get("link"));
        waitUntil = link == null ? null : Values.moment(link.get("waitUntil"));
        linkError = link == null ? null : link.get("error");
    }

    /** The state in an answer's body: the body itself, or its member {@code state}; null: none of this session. */
    static State in(Map<String, Object> body, String authID) {
        Map<String, Object> state = body.containsKey("rev") ? body : Json.map(body.get("state"));
        if (state == null || !authID.equals(state.get("authId"))) {
            return null;
        }
        Map<String, Object> phone = Json.map(state.get("phone"));
        Map<String, Object> device = Json.map(state.get("device"));
        Long expiresAt = Values.moment(state.get("expiresAt"));
        boolean isWhole = state.get("rev") instanceof Long && state.get("allowed") instanceof List
                && phone != null && device != null && expiresAt != null;
        return isWhole ? new State(state, phone, device, expiresAt) : null;
    }

    boolean allows(String action) {
        return allowed.contains(action);
    }

    boolean hasSucceeded() {
        return outcome.equals("succeeded");
    }
}
