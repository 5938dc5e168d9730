package app;

import dev.holdfast.proveauth.AuthFinishStep;
import dev.holdfast.proveauth.OtpFinishStep;
import dev.holdfast.proveauth.OtpFinishStepCallback;
import dev.holdfast.proveauth.OtpStartStep;
import dev.holdfast.proveauth.OtpStartStepCallback;
import dev.holdfast.proveauth.ProveAuth;
import dev.holdfast.proveauth.ProveAuthException;

/** The guide's methods of an activity, with the requests and answers that it leaves to the app. */
public class SignUp extends App {
    private final OtpStartStep otpStart = App.otpStartStep;
    private final OtpFinishStep otpFinish = App.otpFinishStep;

    public ProveAuth authenticator() {
        // GUIDE java/authenticator
        return proveAuth;
    }

    public ProveAuth testMode() {
        // GUIDE java/test-mode
        return proveAuth;
    }

    // GUIDE java/initialize
    // GUIDE java/verify
    // GUIDE java/send-info

    public String begin(String phoneNumber, String ssn) {
        return initialize(phoneNumber, ssn, "mobile");
    }

    public boolean end() {
        return sendInfo(firstName, lastName).success;
    }

    static final class YourBackendClient {
        InitializeResponse initialize(InitializeRequest request) {
            return new InitializeResponse(ShopClient.post("/initialize", "phoneNumber", request.phoneNumber, "ssn", request.ssn,
                    "flowType", request.flowType));
        }

        VerifyResponse verify(VerifyRequest request) {
            return new VerifyResponse(ShopClient.post("/verify", "authId", request.authId));
        }

        SendInfoResponse verify(SendInfoRequest request) {
            return new SendInfoResponse(ShopClient.post("/finish", "firstName", request.firstName, "lastName", request.lastName));
        }
    }

    static final class InitializeRequest {
        final String phoneNumber;
        final String ssn;
        final String flowType;

        InitializeRequest(String phoneNumber, String ssn, String flowType) {
            this.phoneNumber = phoneNumber;
            this.ssn = ssn;
            this.flowType = flowType;
        }
    }

    static final class InitializeResponse {
        private final ShopClient.Answer answer;

        InitializeResponse(ShopClient.Answer answer) {
            this.answer = answer;
        }

        String getAuthToken() {
            return answer.text("authToken");
        }
    }

    static final class VerifyRequest {
        final String authId;

        VerifyRequest(String authId) {
            this.authId = authId;
        }
    }

    static final class VerifyResponse {
        private final ShopClient.Answer answer;

        VerifyResponse(ShopClient.Answer answer) {
            this.answer = answer;
        }

        String getFirstName() {
            return answer.text("firstName");
        }

        String getLastName() {
            return answer.text("lastName");
        }
    }

    static final class SendInfoRequest {
        final String firstName;
        final String lastName;

        SendInfoRequest(String firstName, String lastName) {
            this.firstName = firstName;
            this.lastName = lastName;
        }
    }

    static final class SendInfoResponse {
        final boolean success;

        SendInfoResponse(ShopClient.Answer answer) {
            success = answer.isTrue("success");
        }
    }
}
