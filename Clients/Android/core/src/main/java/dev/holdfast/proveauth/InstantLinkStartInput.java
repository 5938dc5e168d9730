package dev.holdfast.proveauth;

/** What a start step gives. */
public final class InstantLinkStartInput {
    private final String phoneNumber;

    /** @param phoneNumber null or empty where none is needed */
    public InstantLinkStartInput(String phoneNumber) {
        this.phoneNumber = phoneNumber;
    }

    public String getPhoneNumber() {
        return phoneNumber;
    }
}
