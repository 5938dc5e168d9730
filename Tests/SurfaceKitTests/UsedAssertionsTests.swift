import Engine
import Possession
import Testing

@testable import SurfaceKit

@Suite struct UsedAssertionsTests {
    private static let start = Timestamp(seconds: 1_000)

    private func assertion(_ jti: String, of client: String, seconds: Int = 120) -> ClientAssertion {
        ClientAssertion(
            clientID: client, jti: jti, issuedAt: Self.start, expiresAt: Self.start.adding(.seconds(seconds)))
    }

    @Test func `a full memory of assertions refuses that client only, and forgets none`() {
        let (used, start) = (UsedAssertions(most: 3), Self.start)
        func take(_ jti: String, of client: String, at now: Timestamp = Self.start, seconds: Int = 120)
            -> UsedAssertions.Use
        {
            used.take(assertion(jti, of: client, seconds: seconds), at: now)
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

    @Test func `an assertion that is given back is taken again, and its place is free until then`() {
        let (used, start) = (UsedAssertions(most: 2), Self.start)
        func take(_ jti: String, of client: String = "a") -> UsedAssertions.Use {
            used.take(assertion(jti, of: client), at: start)
        }
        #expect(take("1") == .new && take("2") == .new && take("1", of: "b") == .new)
        used.giveBack(assertion("1", of: "a"))
        used.giveBack(assertion("3", of: "a"))
        used.giveBack(assertion("1", of: "c"))
        #expect(take("2") == .again && take("1", of: "b") == .again)
        #expect(take("1") == .new && take("1") == .again)
        #expect(take("3") == .full(retryAfterSeconds: 181))
        // A name that was given back often is forgotten at its end, and no earlier.
        for _ in 0..<3 {
            used.giveBack(assertion("1", of: "a"))
            #expect(take("1") == .new)
        }
        #expect(used.take(assertion("1", of: "a"), at: start.adding(.seconds(180))) == .again)
        #expect(used.take(assertion("1", of: "a", seconds: 300), at: start.adding(.seconds(181))) == .new)
    }

    @Test func `the names of two clients, and of two kinds, differ`() {
        func digest(_ jti: String, _ client: String) -> [UInt8] {
            UsedAssertions.name(of: assertion(jti, of: client), digest: { $0 }).digest
        }
        #expect(digest("bc", "a") != digest("c", "ab") && digest("b", "a") == digest("b", "a"))
        let name = UsedAssertions.name(of: assertion("b", of: "a"), digest: { $0 })
        #expect(name.issuedAt == Self.start && name.until == Self.start.adding(.seconds(180)))
        let envelope = UsedName(
            .envelope, Array("b".utf8), of: Array("a".utf8), issuedAt: name.issuedAt, until: name.until,
            digest: { $0 })
        #expect(envelope.digest != name.digest)
    }
}
