import HTTPServer
import Possession
import TestSupport
import Testing

@testable import HookSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Refusals of messages as the hooks of other servers read them.
@Suite struct HookRefusalTests {
    private static let answers = """
        malformedNumber 400 400
        numberNotServed 400 400
        lineRefused 400 400
        countryClosed 403 403
        codeTooShort 400 400
        pageRefused 400 400
        callbackRefused 400 400
        startsLimited 429 429
        retryKeyReused 503 503
        clientRevoked 401 401
        noSession 503 503
        overFailed 503 503
        overExpired 503 503
        overSucceeded 503 503
        notAwaited 503 503
        sendsUsedUp 429 429
        numberLimited 429 429
        addressLimited 429 429
        budgetLimited 429 429
        notDelivered 503 503
        numberUnreachable 503 503
        overloaded 503 503
        failed 500 500
        """

    @Test func `each refusal of a message has its own answer, and none but a fault of ours is a 500`() {
        let answers = SampleRefusal.answers { refusal in
            let response = HookError(refusal).response
            return (response.status, response.error ?? "")
        }
        #expect(answers == Self.answers)
    }
}
