import HTTPServer
import Possession
import TestSupport
import Testing

@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Refusals of messages in the words of Twilio Verify.
@Suite struct TwilioRefusalTests {
    private static let answers = """
        malformedNumber 400 60200
        numberNotServed 400 60200
        lineRefused 400 60200
        countryClosed 403 60605
        codeTooShort 400 60200
        pageRefused 400 60200
        callbackRefused 400 60200
        startsLimited 429 20429
        retryKeyReused 404 20404
        clientRevoked 401 20003
        noSession 404 20404
        overFailed 429 60202
        overExpired 404 20404
        overSucceeded 404 20404
        notAwaited 404 20404
        sendsUsedUp 429 60203
        numberLimited 429 20429
        addressLimited 429 20429
        budgetLimited 429 20429
        notDelivered 503 20503
        numberUnreachable 503 20503
        overloaded 503 20503
        failed 500 20500
        """

    @Test func `each refusal of a message has its own answer, and none but a fault of ours is a 500`() {
        let answers = SampleRefusal.answers { refusal in
            let response = TwilioError(refusal).response
            return (response.status, response.error ?? "")
        }
        #expect(answers == Self.answers)
    }
}
