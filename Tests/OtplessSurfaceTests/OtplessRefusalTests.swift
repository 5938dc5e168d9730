import HTTPServer
import Possession
import TestSupport
import Testing

@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Refusals of messages in the words of OTPLESS.
@Suite struct OtplessRefusalTests {
    private static let answers = """
        malformedNumber 400 7101
        numberNotServed 400 7101
        lineRefused 400 7102
        countryClosed 401 7025
        codeTooShort 400 7116
        pageRefused 400 7101
        callbackRefused 400 7102
        startsLimited 429 7023
        retryKeyReused 400 7114
        clientRevoked 401 7002
        noSession 400 7114
        overFailed 400 7303
        overExpired 400 7303
        overSucceeded 400 7115
        notAwaited 400 7114
        sendsUsedUp 429 7022
        numberLimited 429 7022
        addressLimited 429 7023
        budgetLimited 429 7020
        notDelivered 503 500
        numberUnreachable 503 500
        overloaded 503 500
        failed 500 500
        """

    @Test func `each refusal of a message has its own answer, and none but a fault of ours is a 500`() {
        let answers = SampleRefusal.answers { refusal in
            let response = OtplessError(refusal).response
            return (response.status, response.error ?? "")
        }
        #expect(answers == Self.answers)
    }
}
