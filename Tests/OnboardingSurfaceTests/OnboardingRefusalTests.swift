import HTTPServer
import Possession
import TestSupport
import Testing

@testable import OnboardingSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Refusals of messages in the words of Digital Onboarding.
@Suite struct OnboardingRefusalTests {
    private static let answers = """
        malformedNumber 400 ONBOARDING_OTP_FAILED
        numberNotServed 400 ONBOARDING_OTP_FAILED
        lineRefused 400 ONBOARDING_OTP_FAILED
        countryClosed 400 ONBOARDING_OTP_FAILED
        codeTooShort 400 ONBOARDING_OTP_FAILED
        pageRefused 400 ONBOARDING_OTP_FAILED
        callbackRefused 400 ONBOARDING_OTP_FAILED
        startsLimited 429 TOO_MANY_REQUESTS
        retryKeyReused 400 ONBOARDING_FAILED
        clientRevoked 400 INVALID_APPLICATION
        noSession 400 ONBOARDING_FAILED
        overFailed 400 ONBOARDING_FAILED
        overExpired 400 ONBOARDING_FAILED
        overSucceeded 400 ONBOARDING_FAILED
        notAwaited 400 ONBOARDING_FAILED
        sendsUsedUp 400 ONBOARDING_OTP_FAILED
        numberLimited 400 ONBOARDING_OTP_FAILED
        addressLimited 400 ONBOARDING_OTP_FAILED
        budgetLimited 400 ONBOARDING_OTP_FAILED
        notDelivered 400 ONBOARDING_OTP_FAILED
        numberUnreachable 400 ONBOARDING_OTP_FAILED
        overloaded 503 ERROR_GENERIC
        failed 500 ERROR_GENERIC
        """

    @Test func `each refusal of a message has its own answer, and none but a fault of ours is a 500`() {
        let answers = SampleRefusal.answers { refusal in
            let response = OnboardingError(refusal).response
            return (response.status, response.error ?? "")
        }
        #expect(answers == Self.answers)
    }
}
