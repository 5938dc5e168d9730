import Engine
import Possession
import Testing

@testable import Tokens

@Suite struct KeyAgreementTests {
    // RFC 5903 section 8.1.
    private let initiator = Fixture.bytes(
        hex: "C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433")
    private let initiatorPoint = Fixture.bytes(
        hex: "DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180"
            + "5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3")
    private let responder = Fixture.bytes(
        hex: "C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53")
    private let responderPoint = Fixture.bytes(
        hex: "D12DFB5289C8D4F81208B70270398C342296970A0BCCB74C736FC7554494BF63"
            + "56FBF3CA366CC23E8157854C13C58D6AAC23F046ADA30F8353E74F33039872AB")
    private let shared = Fixture.bytes(hex: "D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE")
    /// SEC 2 section 2.4.2.
    private let order = Fixture.bytes(hex: "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")

    @Test func `agrees as the standard has it, from both sides and both forms of a point`() throws {
        let sides = [(initiator, responderPoint), (responder, initiatorPoint)]
        for (scalar, point) in sides {
            let key = try KeyHandle(scalar: scalar)
            let whole = try CurvePoint(encoded: [0x04] + point)
            let compressed = try CurvePoint(encoded: [0x02 | point[63] & 1] + point[..<32])
            #expect(whole.publicKey == compressed.publicKey)
            #expect(try key.agree(with: whole).bytes == shared)
            #expect(try key.agree(with: compressed).bytes == shared)
            #expect(try key.scalar().bytes == scalar)
        }
        let publicKey = try KeyHandle(scalar: initiator).publicKey()
        #expect(publicKey.x + publicKey.y == initiatorPoint)
    }

    @Test func `takes private numbers from 1 to the order less 1`() throws {
        let one = [UInt8](repeating: 0, count: 31) + [1]
        var last = order
        last[31] -= 1
        for number in [one, last] {
            let key = try SigningKey(scalar: number)
            #expect(key.verifyingKey.verifies(try key.sign([7]), of: [7]))
            #expect(try key.handle.scalar().bytes == number)
        }
        for number in [[UInt8](repeating: 0, count: 32), order, [0] + one, Array(one.dropFirst()), []] {
            #expect(throws: TokenFault.self) { try KeyHandle(scalar: number) }
        }
    }

    @Test func `a generated key has a number of 32 bytes that makes it again`() throws {
        for _ in 0..<20 {
            let key = try SigningKey.generate()
            let number = try key.handle.scalar().bytes
            #expect(number.count == 32)
            #expect(try SigningKey(scalar: number).publicKey == key.publicKey)
        }
    }

    @Test func `prints nothing of a secret`() throws {
        #expect("\(BriefSecret([1, 2, 3]))" == "<redacted>")
        #expect(Mirror(reflecting: BriefSecret([1, 2, 3])).children.isEmpty)
    }
}
