package dev.holdfast.proveauth;

/** Takes the answer of the step. The first call counts. */
public interface OperatorTokenStepCallback {
    void onSuccess(OperatorTokenInput input);

    /** There is no token: Mobile Auth goes over the mobile network, where there is one. */
    void onError();
}
