import Engine
import Possession
import Testing

@testable import Tokens

@Suite struct AES128Tests {
    private func key(_ hex: String) -> BriefSecret { BriefSecret(Fixture.bytes(hex: hex)) }

    /// FIPS 197 appendix C.1.
    @Test func `encrypts a block as the standard does`() throws {
        let block = try AES128.encrypt(
            block: Fixture.bytes(hex: "00112233445566778899aabbccddeeff"), key: key("000102030405060708090a0b0c0d0e0f"))
        #expect(block == Fixture.bytes(hex: "69c4e0d86a7b0430d8cdb78070b4c55a"))
    }

    /// NIST SP 800-38A section F.2.1.
    @Test func `chains blocks as the standard does, with and without padding`() throws {
        let key = key("2b7e151628aed2a6abf7158809cf4f3c")
        let iv = Fixture.bytes(hex: "000102030405060708090a0b0c0d0e0f")
        let plain = Fixture.bytes(hex: "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
        let expected = Fixture.bytes(hex: "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2")
        #expect(try AES128.encrypt(plain, key: key, iv: iv, pads: false) == expected)
        #expect(try AES128.decrypt(expected, key: key, iv: iv, pads: false) == plain)
        let padded = try AES128.encrypt(plain, key: key, iv: iv, pads: true)
        #expect(padded.count == 48 && padded.starts(with: expected))
        #expect(try AES128.decrypt(padded, key: key, iv: iv, pads: true) == plain)
        #expect(try AES128.decrypt(expected, key: key, iv: iv, pads: true) == nil, "no padding at its end")
    }

    @Test(arguments: 0...33) func `comes back from each length`(count: Int) throws {
        let key = key("2b7e151628aed2a6abf7158809cf4f3c")
        let iv = [UInt8](repeating: 9, count: 16)
        let plain = [UInt8](repeating: 0x10, count: count)
        let encrypted = try AES128.encrypt(plain, key: key, iv: iv, pads: true)
        #expect(encrypted.count == (count / 16 + 1) * 16)
        #expect(try AES128.decrypt(encrypted, key: key, iv: iv, pads: true) == plain)
    }

    @Test func `refuses part blocks, and keys and IVs of another length`() throws {
        let key = key("2b7e151628aed2a6abf7158809cf4f3c")
        let iv = [UInt8](repeating: 9, count: 16)
        for count in [0, 1, 15, 17] {
            #expect(try AES128.decrypt([UInt8](repeating: 1, count: count), key: key, iv: iv, pads: true) == nil)
        }
        for (key, iv) in [(BriefSecret([1]), iv), (key, [1]), (key, [])] {
            #expect(throws: TokenFault.self) { try AES128.encrypt([1], key: key, iv: iv, pads: true) }
        }
    }
}
