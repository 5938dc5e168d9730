import HTTPServer
import Possession
import TestSupport
import Testing

@testable import CamaraSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Refusals of messages in the words of CAMARA.
@Suite struct CamaraRefusalTests {
    private static let answers = """
        malformedNumber 400 INVALID_ARGUMENT
        numberNotServed 404 NOT_FOUND
        lineRefused 403 ONE_TIME_PASSWORD_SMS.PHONE_NUMBER_NOT_ALLOWED
        countryClosed 404 NOT_FOUND
        codeTooShort 400 INVALID_ARGUMENT
        pageRefused 400 INVALID_ARGUMENT
        callbackRefused 400 INVALID_ARGUMENT
        startsLimited 429 TOO_MANY_REQUESTS
        retryKeyReused 404 NOT_FOUND
        clientRevoked 401 UNAUTHENTICATED
        noSession 404 NOT_FOUND
        overFailed 404 NOT_FOUND
        overExpired 404 NOT_FOUND
        overSucceeded 404 NOT_FOUND
        notAwaited 404 NOT_FOUND
        sendsUsedUp 403 ONE_TIME_PASSWORD_SMS.MAX_OTP_CODES_EXCEEDED
        numberLimited 403 ONE_TIME_PASSWORD_SMS.MAX_OTP_CODES_EXCEEDED
        addressLimited 429 TOO_MANY_REQUESTS
        budgetLimited 429 TOO_MANY_REQUESTS
        notDelivered 503 UNAVAILABLE
        numberUnreachable 403 ONE_TIME_PASSWORD_SMS.PHONE_NUMBER_BLOCKED
        overloaded 503 UNAVAILABLE
        failed 500 INTERNAL
        """

    @Test func `each refusal of a message has its own answer, and none but a fault of ours is a 500`() {
        let answers = SampleRefusal.answers { refusal in
            let response = CamaraError(refusal).response
            return (response.status, response.error ?? "")
        }
        #expect(answers == Self.answers)
    }
}
