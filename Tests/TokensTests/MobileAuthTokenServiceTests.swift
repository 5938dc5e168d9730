import Possession
import Testing
import Text
import Tokens

@Suite struct MobileAuthTokenServiceTests {
    private let master: MasterKey
    private let tokens: MobileAuthTokenService
    private let other: MobileAuthTokenService

    private static let attempt = AttemptID(Array(0..<16))!
    private static let key = Thumbprint([UInt8](repeating: 5, count: 32))!
    private static let result = [UInt8](repeating: 6, count: 16)

    /// Made outside this code, with the HMAC and HKDF of Python's standard library.
    private static let state = "AAECAwQFBgcICQoLDA0ODw.RlcXBvW7HUwqI0lOLZATx5X65Ic2XeFr0LqEMCmimOo"
    private static let payload =
        "eyJhIjoiQUFFQ0F3UUZCZ2NJQ1FvTERBME9EdyIsInMiOiIwMTk4MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDEiLCJqIjoiQlFV"
        + "RkJRVUZCUVVGQlFVRkJRVUZCUVVGQlFVRkJRVUZCUVVGQlFVRkJRVSIsInIiOiJCZ1lHQmdZR0JnWUdCZ1lHQmdZR0JnIiwiaWF0Ijox"
        + "NzY3MjYxNjAwLCJleHAiOjE3NjcyNjE2NjB9"
    private static let vfp = "v1." + payload + ".SSLX3YM0TDu6CVsKyNcaWwJidf52Nw1AZlODKkhGG34"

    init() throws {
        master = try #require(MasterKey([UInt8](repeating: 1, count: 32)))
        tokens = try MobileAuthTokenService(master)
        other = try MobileAuthTokenService(try #require(MasterKey([UInt8](repeating: 2, count: 32))))
    }

    private func fingerprint(key: Thumbprint? = key, issuedAt: Timestamp = Fixture.now) -> Fingerprint {
        Fingerprint(
            attempt: Self.attempt, authID: Fixture.authID, sessionKey: key, result: Self.result, issuedAt: issuedAt,
            expiresAt: issuedAt.adding(.seconds(60)))
    }

    // MARK: State and PKCE

    @Test func `writes the state of the vector and reads it back`() {
        #expect(tokens.state(of: Self.attempt) == Self.state)
        #expect(tokens.attempt(inState: Self.state) == Self.attempt)
        #expect(other.attempt(inState: Self.state) == nil)
    }

    @Test func `makes a verifier and its challenge from the attempt`() throws {
        #expect(tokens.verifier(of: Self.attempt) == "QsG7PmJ4RvSDiUO3az-19h__TuBZo1fpL_LY0NfLuJc")
        #expect(tokens.codeChallenge(of: Self.attempt) == "ItoQH-0jHxowHUqavSmPx6r5m9LAHiGsHntoDpoVjjI")
        let another = try #require(AttemptID(Array(1..<17)))
        #expect(tokens.verifier(of: another) != tokens.verifier(of: Self.attempt))
        #expect(other.verifier(of: Self.attempt) != tokens.verifier(of: Self.attempt))
    }

    private static let spoiledStates: [String] = [
        "", ".", "..", String(state.dropFirst()), String(state.dropLast()), state + "=", state + "A", " " + state,
        state + "\n", state.replacingFirst(".", with: ":"), state.replacingFirst(".", with: ".."),
        // The last letter of the name stands for 4 bits that must be 0.
        state.replacingFirst(".", with: "_").replacingFirst("w", with: "."), state.replacingFirst("w", with: "x"),
        state.replacingFirst("A", with: "B"), state.replacingFirst("R", with: "S"),
        state.replacingFirst("Z", with: "+"), String(state.split(separator: ".")[0]) + ".",
        "." + state.split(separator: ".")[1], state.lowercased(), String(repeating: "A", count: 66),
        String(repeating: "A", count: 22) + "." + String(repeating: "A", count: 43),
        String(state.split(separator: ".")[1] + "." + state.split(separator: ".")[0]), vfp,
        String(repeating: "é", count: 33),
    ]

    @Test(arguments: spoiledStates) func `refuses a state that is not ours unchanged`(state: String) {
        #expect(tokens.attempt(inState: state) == nil)
    }

    // MARK: Fingerprint

    @Test(arguments: [(4, "3115"), (6, "603115"), (10, "1456603115")])
    func `makes a code from the attempt and its result`(length: Int, expected: String) throws {
        #expect(tokens.code(of: Self.attempt, Self.result, length: length).text == expected)
        #expect(other.code(of: Self.attempt, Self.result, length: length).text != expected)
        let another = try #require(AttemptID(Array(1..<17)))
        #expect(tokens.code(of: another, Self.result, length: length).text != expected)
        #expect(tokens.code(of: Self.attempt, Array(0..<16), length: length).text != expected)
    }

    @Test func `codes of many results spread over all digits`() {
        var counts = [Int](repeating: 0, count: 10)
        for number in 0..<1000 {
            let result = [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
            let code = tokens.code(of: Self.attempt, result, length: 6).text
            for digit in code.utf8 { counts[Int(digit) - 48] += 1 }
        }
        // 600 of each are expected; five standard deviations are 116.
        #expect(counts.allSatisfy { (484...716).contains($0) }, "\(counts)")
    }

    @Test func `writes the fingerprint of the vector and reads it back`() {
        #expect(tokens.fingerprint(fingerprint()) == Self.vfp)
        #expect(tokens.fingerprint(in: Self.vfp) == fingerprint())
        #expect(other.fingerprint(in: Self.vfp) == nil)
    }

    @Test func `leaves the key of a bearer session out`() {
        let text = tokens.fingerprint(fingerprint(key: nil))
        #expect(tokens.fingerprint(in: text) == fingerprint(key: nil))
        #expect(text.utf8.count < Self.vfp.utf8.count)
    }

    @Test func `drops parts of a second`() {
        let late = Timestamp(milliseconds: Fixture.now.milliseconds + 999)
        #expect(tokens.fingerprint(in: tokens.fingerprint(fingerprint(issuedAt: late))) == fingerprint())
    }

    private static let spoiledFingerprints: [String] = [
        "", "v1", "v1.", "v1..", "v1...", String(vfp.dropFirst()), String(vfp.dropFirst(3)), "v2" + vfp.dropFirst(2),
        "V1" + vfp.dropFirst(2), " " + vfp, vfp + " ", vfp + "=", vfp + "A", vfp + ".", "v1." + vfp,
        String(vfp.dropLast()), String(vfp[..<vfp.lastDot]), String(vfp[...vfp.lastDot]),
        vfp.replacingFirst("e", with: "f"), vfp.replacingFirst("Q", with: "R"), String(vfp.dropLast()) + "5",
        String(vfp[...vfp.lastDot]) + String(repeating: "A", count: 43), vfp + String(repeating: "A", count: 1024),
        state, "v1." + state, vfp.lowercased(), "\u{0}" + vfp,
    ]

    @Test(arguments: spoiledFingerprints) func `refuses a fingerprint that is not ours unchanged`(text: String) {
        #expect(tokens.fingerprint(in: text) == nil)
    }

    private static func claims(
        a: String = #""AAECAwQFBgcICQoLDA0ODw""#, s: String = #""01980000-0000-7000-8000-000000000001""#,
        r: String = #""BgYG""#, iat: String = "1767261600", exp: String = "1767261660", more: String = ""
    ) -> String {
        #"{"a":\#(a),"s":\#(s),"r":\#(r),"iat":\#(iat),"exp":\#(exp)\#(more)}"#
    }

    private func signed(_ claims: String) throws -> String {
        let text = "v1." + Base64URL.encode(Array(claims.utf8))
        let hash = KeyedHash(key: try master.subkey(.mobileAuthFingerprint))
        return text + "." + Base64URL.encode(hash.digest(Array(("vfp." + text).utf8)))
    }

    @Test(arguments: [
        "", "null", "[]", "{}", claims(a: "null"), claims(a: #""AAEC""#), claims(a: "1"), claims(s: #""x""#),
        claims(s: #""0198""#), claims(r: #""""#), claims(r: #""B""#), claims(r: "[]"), claims(iat: "1.5"),
        claims(iat: "-1"), claims(iat: #""1""#), claims(exp: "9223372036854775807"), claims(exp: "1099511627777"),
        claims(more: #","j":"""#), claims(more: #","j":"BQUF""#), claims(more: #","j":null"#),
        claims(more: #","x":1"#), claims(more: #","a":"AAECAwQFBgcICQoLDA0ODw""#), claims() + " x",
    ]) func `refuses claims of another form even when they are signed`(claims: String) throws {
        #expect(tokens.fingerprint(in: try signed(Self.claims())) != nil)
        #expect(tokens.fingerprint(in: try signed(claims)) == nil)
    }

    @Test func `takes times up to the end of their range`() throws {
        #expect(tokens.fingerprint(in: try signed(Self.claims(exp: "1099511627776"))) != nil)
    }

    // MARK: Addresses

    @Test func `digests an address under a key`() {
        #expect(
            tokens.address("192.0.2.7").bytes
                == Fixture.bytes(hex: "8644048e9822d9e6b3673c9d52262d493ddd7daa3f8347cb0d7d8a003abd5684"))
        #expect(tokens.address("192.0.2.7") != tokens.address("192.0.2.8"))
        #expect(tokens.address("192.0.2.7") != other.address("192.0.2.7"))
    }
}
