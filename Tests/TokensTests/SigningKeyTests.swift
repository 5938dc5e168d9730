import Engine
import Possession
import Testing
import Tokens

@Suite struct SigningKeyTests {
    @Test func `signs 64 raw bytes that its public half verifies, many times over`() throws {
        // Often enough that r and s come with and without leading zeros.
        let key = try SigningKey.generate()
        for index in 0..<600 {
            let message = Array("message \(index)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.verifyingKey.verifies(signature, of: message))
        }
    }

    @Test func `comes back from its DER`() throws {
        let key = try SigningKey.generate()
        let copy = try SigningKey(privateDER: try key.privateDER().copied)
        #expect(copy.publicKey == key.publicKey)
        #expect(key.verifyingKey.verifies(try copy.sign([1]), of: [1]))
    }

    @Test func `refuses DER that is damaged, longer, or of another curve`() throws {
        let der = try SigningKey.generate().privateDER().copied
        for length in 0..<der.count {
            #expect(throws: TokenFault.self) { try SigningKey(privateDER: Array(der[..<length])) }
        }
        #expect(throws: TokenFault.self) { try SigningKey(privateDER: der + [0]) }
        // `openssl ecparam -name secp256k1 -genkey -noout -outform DER`
        let otherCurve = Fixture.bytes(hex: SigningKeyTests.secp256k1)
        #expect(throws: TokenFault.self) { try SigningKey(privateDER: otherCurve) }
    }

    @Test func `takes only points on the curve`() throws {
        let right = try SigningKey.generate().publicKey
        #expect(throws: Never.self) { try VerifyingKey(right) }
        let zero = [UInt8](repeating: 0, count: 32)
        // The prime of the field (SEC 2 section 2.4.2): a coordinate must be smaller.
        let prime = Fixture.bytes(hex: "FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF")
        let flipped = Array(right.y.dropLast()) + [right.y[31] ^ 1]
        for (x, y) in [
            (zero, zero), (right.x, zero), (zero, right.y), (prime, right.y), (right.x, prime), (right.y, right.x),
            (right.x, flipped),
        ] {
            let key = try #require(PublicKey(x: x, y: y))
            #expect(throws: TokenFault.self) { try VerifyingKey(key) }
        }
    }

    private static let secp256k1 = """
        30740201010420b123ea3cba30b967d3cd46f9991ec518fdf3e7f9466b5191a54b0e9897dec7eaa00706052b8104000a
        a14403420004c03edeb7beddade7d21e1fa70dab1ee972b90aab863f68272947959224f0239d9b5f469e7c4d5cf42581
        6207a2ed22aa462bd8eff7289b381a0019e5af5735ae
        """
}

extension SecretBytes {
    /// A copy for comparison; only tests read keys.
    var copied: [UInt8] { withBytes { Array($0) } }
}
