import Engine
import Possession
import Testing

@testable import SurfaceKit

@Suite struct UsedAssertionsTests {
    private static let start = Timestamp(seconds: 1_000)

    @Test func `a full memory of assertions refuses that client only, and forgets none`() {
        let (used, start) = (UsedAssertions(most: 3), Self.start)
        func take(_ jti: String, of client: String, at now: Timestamp = Self.start, seconds: Int = 120)
            -> UsedAssertions.Use
        {
            used.take(
                ClientAssertion(clientID: client, jti: jti, expiresAt: start.adding(.seconds(seconds))), at: now)
        }
        #expect(take("1", of: "a") == .new && take("1", of: "a") == .again)
        #expect(take("1", of: "b") == .new, "each client has names of its own")
        #expect(take("2", of: "b", seconds: 60) == .new && take("3", of: "b") == .new)
        #expect(take("4", of: "b") == .full(retryAfterSeconds: 121))
        #expect(take("1", of: "b") == .again && take("1", of: "a") == .again && take("2", of: "a") == .new)
        let later = start.adding(.seconds(121))
        #expect(take("4", of: "b", at: later) == .new, "one has expired, and its minute of leeway is over")
        #expect(take("5", of: "b", at: later) == .full(retryAfterSeconds: 60))
        #expect(take("1", of: "b", at: start.adding(.seconds(180))) == .again)
        #expect(take("5", of: "b", at: start.adding(.seconds(181))) == .new)
    }
}
