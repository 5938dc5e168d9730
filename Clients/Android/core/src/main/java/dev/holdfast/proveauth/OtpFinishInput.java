package dev.holdfast.proveauth;

/** The code that the person typed. */
public final class OtpFinishInput {
    private final String otp;

    public OtpFinishInput(String otp) {
        this.otp = otp;
    }

    public String getOtp() {
        return otp;
    }
}
