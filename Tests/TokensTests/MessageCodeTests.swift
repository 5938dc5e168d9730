import Testing
import Tokens

@Suite struct MessageCodeTests {
    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        var rest = hex[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16)!)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// RFC 2202 and RFC 4231, test case 2.
    @Test(arguments: [
        (MessageCode.Hash.md5, "750c783e6ab0b503eaa86e310a5db738"),
        (.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            .sha384,
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
        ),
        (
            .sha512,
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        ),
    ])
    func `makes the codes of the standards`(hash: MessageCode.Hash, code: String) {
        #expect(
            Self.hex(MessageCode.hmac(hash, key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)))
                == code)
    }

    @Test func `makes digests`() {
        #expect(Self.hex(MessageCode.digest(.md5, [])) == "d41d8cd98f00b204e9800998ecf8427e")
        #expect(Self.hex(MessageCode.digest(.sha1, Array("abc".utf8))) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    }

    /// RFC 8032 section 7.1, test 2.
    @Test func `checks Ed25519 signatures`() {
        let key = Self.bytes("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
        var signature = Self.bytes(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
        #expect(MessageCode.isEd25519(signature, by: key, of: [0x72]))
        #expect(!MessageCode.isEd25519(signature, by: key, of: [0x73]))
        #expect(!MessageCode.isEd25519(signature, by: Array(key.dropLast()), of: [0x72]))
        #expect(!MessageCode.isEd25519(Array(signature.dropLast()), by: key, of: [0x72]))
        signature[0] ^= 1
        #expect(!MessageCode.isEd25519(signature, by: key, of: [0x72]))
    }
}
