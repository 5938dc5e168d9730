import Testing

@testable import Possession

/// Settings that a session can be run by. Nothing is clamped: a value out of its bounds is refused, and named.
@Suite struct `A policy` {
    private static let link = try! Policy.Link(lifetimeSeconds: 180, waitSeconds: 300)

    private static func code(
        length: Int = 4, lifetime: Int = 120, tries: Int = 1, earlier: Int = 0
    ) throws(Policy.Defect) -> Policy.Code {
        try Policy.Code(length: length, lifetimeSeconds: lifetime, tries: tries, earlierCodes: earlier)
    }

    @Test(
        arguments: [
            (4, 1, 1, 0, nil), (10, 86_400, 100, 9, nil), (3, 120, 1, 0, "code length must be 4 to 10"),
            (11, 120, 1, 0, "code length must be 4 to 10"), (4, 0, 1, 0, "code lifetime in seconds must be 1 to 86400"),
            (4, 86_401, 1, 0, "code lifetime in seconds must be 1 to 86400"), (4, 120, 0, 0, "tries must be 1 to 100"),
            (4, 120, 101, 0, "tries must be 1 to 100"), (4, 120, 1, -1, "earlier codes must be 0 to 9"),
            (4, 120, 1, 10, "earlier codes must be 0 to 9"),
        ] as [(Int, Int, Int, Int, String?)])
    func `has codes within bounds`(length: Int, lifetime: Int, tries: Int, earlier: Int, defect: String?) {
        var found: String?
        do throws(Policy.Defect) {
            _ = try Self.code(length: length, lifetime: lifetime, tries: tries, earlier: earlier)
        } catch { found = error.what }
        #expect(found == defect)
    }

    @Test(
        arguments: [
            (1, 1, 0, 1, nil), (100, 100, 31_536_000, 3_155_760_000, nil), (0, 1, 0, 1, "sends must be 1 to 100"),
            (1, 101, 0, 1, "number entries must be 1 to 100"),
            (1, 1, -1, 1, "result lifetime in seconds must be 0 to 31536000"),
            (1, 1, 0, 0, "key age in seconds must be 1 to 3155760000"),
        ] as [(Int, Int, Int, Int, String?)])
    func `has counts and times within bounds`(sends: Int, entries: Int, result: Int, keyAge: Int, defect: String?) {
        var found: String?
        do throws(Policy.Defect) {
            _ = try Policy(
                product: ProductName(known: "p"), checks: .all, code: try Self.code(), link: Self.link, sends: sends,
                numberEntries: entries, resultLifetimeSeconds: result, maxKeyAgeSeconds: keyAge)
        } catch { found = error.what }
        #expect(found == defect)
    }

    @Test(arguments: [[], [.sms, .sms]] as [[OutgoingMessage.Channel]])
    func `names each channel once`(channels: [OutgoingMessage.Channel]) {
        #expect(throws: Policy.Defect.self) {
            try Policy(
                product: ProductName(known: "p"), checks: .all, code: try Self.code(), link: Self.link,
                channels: channels, sends: 1, numberEntries: 1, resultLifetimeSeconds: 0)
        }
    }

    @Test func `has known checks`() {
        #expect(throws: Policy.Defect(what: "checks must be known ones")) {
            try Policy(
                product: ProductName(known: "p"), checks: Policy.Checks(rawValue: 16), code: try Self.code(),
                link: Self.link, sends: 1, numberEntries: 1, resultLifetimeSeconds: 0)
        }
    }

    @Test(arguments: [
        ("unify", true), ("a", true), ("sixteen-letters1", true), ("", false), ("seventeen-letters", false),
        ("Unify", false), ("a b", false), ("ü", false), ("a_b", false),
    ])
    func `is of a product with a plain name`(name: String, isName: Bool) {
        #expect((ProductName(name) != nil) == isName)
    }

    /// A check that may not take part is left out of what the client declares; none is added.
    @Test func `leaves checks out of a declaration`() throws {
        let wished = Session.Declaration(platform: .web, fallback: .otp, deviceKey: true, cellular: .no)
        for bits in UInt8(0)..<16 {
            let checks = Policy.Checks(rawValue: bits)
            let policy = try Policy(
                product: ProductName(known: "p"), checks: checks, code: Self.code(), link: Self.link, sends: 1,
                numberEntries: 1, resultLifetimeSeconds: 0)
            let left = policy.limiting(wished)
            #expect(left.deviceKey == checks.contains(.deviceKey))
            #expect(left.fallback == (checks.contains(.code) ? .otp : nil))
        }
    }
}
