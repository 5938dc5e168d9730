import Engine
import Possession
import Testing
import Text
import Tokens

/// Published vectors, so that our bytes are everybody's bytes.
@Suite struct VectorTests {
    private func key(_ x: String, _ y: String) throws -> PublicKey {
        let (x, y) = (Base64URL.decode(x) ?? [], Base64URL.decode(y) ?? [])
        return try #require(PublicKey(x: x, y: y))
    }

    @Test func `verifies the ES256 example of RFC 7515 A.3`() throws {
        let key = try VerifyingKey(
            key("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let input = Array(
            ("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQog"
                + "Imh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ").utf8)
        let signature = try #require(
            Base64URL.decode("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"))
        #expect(key.verifies(signature, of: input))
        #expect(!key.verifies(signature, of: input + [0]))
        #expect(!key.verifies(Array(signature.reversed()), of: input))
    }

    private let dpopX = "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs"
    private let dpopY = "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"

    @Test func `takes the RFC 7638 thumbprint of the RFC 9449 sample key`() throws {
        let thumbprint = try key(dpopX, dpopY).thumbprint
        #expect(Base64URL.encode(thumbprint.bytes) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test func `verifies the sample proof of RFC 9449 section 4.1`() throws {
        let input =
            "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklD"
            + "UkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2"
            + "R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHB"
            + "zOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ"
        let signature = "2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
        let key = try VerifyingKey(key(dpopX, dpopY))
        #expect(key.verifies(try #require(Base64URL.decode(signature)), of: Array(input.utf8)))
        // The sample has neither `ath` nor `nonce`, which we demand.
        let expectation = DPoPExpectation(
            method: "POST", targets: ["https://server.example.com/token"], accessToken: "", nonce: "",
            systemNow: Timestamp(seconds: 1_562_262_616))
        #expect(throws: ProofFault.claim(.nonce)) {
            try DPoPVerifier(deviceAudience: "x").verifyDPoP(input + "." + signature, expecting: expectation)
        }
    }

    @Test func `hashes the access token of RFC 9449 section 7.1`() {
        #expect(
            Base64URL.encode(SHA256.digest("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"))
                == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }

    @Test(arguments: [
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "", "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ])
    func `derives the keys of RFC 5869`(key: String, salt: String, info: String, output: String) throws {
        let derived = try HKDF.derive(
            from: SecretBytes(Fixture.bytes(hex: key)), salt: Fixture.bytes(hex: salt), info: Fixture.bytes(hex: info),
            count: 42)
        #expect(derived.copied == Fixture.bytes(hex: output))
    }

    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `makes the digests of RFC 4231, also a second time`(key: [UInt8], message: String, expected: String) {
        let hash = KeyedHash(key: SecretBytes(key))
        for _ in 0..<3 {
            #expect(hash.digest(Array(message.utf8)) == Fixture.bytes(hex: expected))
        }
    }
}
