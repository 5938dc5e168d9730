import HTTPServer
import Possession
import TestSupport
import Testing

@testable import PreludeSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Refusals of messages in the words of Prelude: some are answers with the status `blocked`.
@Suite struct PreludeRefusalTests {
    private static let answers = """
        malformedNumber 200 invalid_phone_number
        numberNotServed 400 invalid_phone_number
        lineRefused 200 invalid_phone_line
        countryClosed 403 unsupported_country
        codeTooShort 400 invalid_code_size
        pageRefused 400 invalid_phone_number
        callbackRefused 400 invalid_callback_url
        startsLimited 429 rate_limited
        retryKeyReused 422 idempotency_key_reused
        clientRevoked 401 invalid_api_key
        noSession 404 not_found
        overFailed 429 too_many_attempts
        overExpired 429 too_many_attempts
        overSucceeded 429 too_many_attempts
        notAwaited 404 not_found
        sendsUsedUp 429 too_many_attempts
        numberLimited 200 repeated_attempts
        addressLimited 200 repeated_attempts
        budgetLimited 400 spending_limit_exceeded
        notDelivered 502 internal
        numberUnreachable 502 internal
        overloaded 503 internal
        failed 500 internal
        """

    @Test func `each refusal of a message has its own answer, and none but a fault of ours is a 500`() {
        let answers = SampleRefusal.answers { refusal in
            if let reason = Created.Reason(refusal) { return (200, reason.rawValue) }
            let response = PreludeError(refusal).response
            return (response.status, response.error ?? "")
        }
        #expect(answers == Self.answers)
    }
}
