package dev.holdfast.proveauth;

/** What the operator of the phone's SIM has given to the app. */
public final class OperatorTokenInput {
    private final String operatorToken;
    private final String plmn;

    /**
     * @param operatorToken as it came; it is as good as the SIM until it is used, so keep it out of logs
     * @param plmn MCC and MNC of the SIM, as {@code TelephonyManager.getSimOperator()} has them: five or six digits
     */
    public OperatorTokenInput(String operatorToken, String plmn) {
        this.operatorToken = operatorToken;
        this.plmn = plmn;
    }

    public String getOperatorToken() {
        return operatorToken;
    }

    public String getPlmn() {
        return plmn;
    }
}
