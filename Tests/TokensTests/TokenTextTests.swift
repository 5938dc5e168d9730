import Engine
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import Tokens

/// No text in a token costs more than its length.
@Suite struct TokenTextTests {
    /// A place in header (`H`) or claims (`C`) and how it is filled: as a value, or as the name of a 17th member.
    private static let places =
        ["H kid", "H typ", "H alg", "H jwk"]
        + ["iss", "aud", "sub", "jti", "nonce", "client_id", "htm", "htu", "ath", "op"].map { "C " + $0 }
        + ["H +", "C +"]

    private static func token(_ forge: Forge, _ place: String, _ text: String) throws -> String {
        var forge = forge
        let isHeader = place.hasPrefix("H")
        let name = String(place.dropFirst(2))
        var object = isHeader ? forge.header : forge.claims
        if name == "+" {
            for index in 0..<16 { object["m\(index)"] = 1 }
            // Names within the bound, so that the parser has to tell all of them apart.
            let part = String(decoding: text.utf8.prefix(97), as: UTF8.self)
            for index in 0..<30 { object[part + "\(index)"] = 1 }
        } else {
            object[name] = .string(text)
        }
        if isHeader { forge.header = object } else { forge.claims = object }
        return try forge.token()
    }

    @Test(arguments: places)
    func `costs the same for marks as for letters`(place: String) throws {
        let auth = try Fixture.record(.auth)
        let access = try Fixture.record(.access)
        let service = Fixture.service([auth, access])
        let proofs = DPoPVerifier(deviceAudience: Fixture.publicURL)
        for record in [auth, access] {
            func cost(_ text: String) throws -> UInt64 {
                let token = try Self.token(Forge(record), place, text)
                #expect(token.utf8.count <= JWS.maxBytes)
                return ProcessorTime.least {
                    _ = service.verifyAuthToken(token, at: Fixture.now)
                    _ = service.verifyAccessToken(token, at: Fixture.now)
                    _ = try? proofs.verifyDeviceProof(token, systemNow: Fixture.now)
                }
            }
            let marks = try cost(HostileText.marks(4800))
            let letters = try cost(HostileText.ascii(4800))
            #expect(ProcessorTime.isLike(marks, plain: letters), "\(marks) against \(letters) ns")
        }
    }

    @Test(arguments: [
        ("", false), ("A", false), (String(repeating: "A", count: 42), false),
        (String(repeating: "A", count: 44), false),
        (String(repeating: "A", count: 42) + "=", false), (String(repeating: "A", count: 41) + "é", false),
        (HostileText.marks(43), false),
    ])
    func `looks for no key whose name cannot be one`(kid: String, isFound: Bool) throws {
        let record = try Fixture.record(.access)
        let ring = SigningKeyRing([record])
        #expect((ring.verifier(kid: kid, for: .access, at: Fixture.now) != nil) == isFound)
        #expect(record.kid.utf8.count == 43)
        #expect(ring.verifier(kid: record.kid, for: .access, at: Fixture.now) != nil)
    }
}
