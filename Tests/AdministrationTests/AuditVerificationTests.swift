import Engine
import Possession
import StrictJSON
import Testing
import Tokens

@testable import Administration

/// The chain of the audit log: a line that is changed, removed or moved is found, and named (OPS-04).
struct AuditVerificationTests {
    private static let zeros = [UInt8](repeating: 0, count: 32)
    private static let number = PhoneNumber(e164: "+12015550123")!

    /// A chain of so many entries.
    private static func chain(_ count: Int = 5) throws -> [AuditLine] {
        let key = try #require(MasterKey([UInt8](repeating: 7, count: 32)))
        let form = try AuditForm(key) { _ in [0xAB, 0xCD] }
        var previous = zeros
        return (1...count).map { number in
            let entry = AuditEntry(
                .clientSecretRotated, by: .operator, at: Timestamp(milliseconds: 1_767_225_603_004 + Int64(number)),
                client: ClientID("shop"), address: "198.51.100.7", requestID: "r-\(number)",
                about: .number(Self.number),
                detail: [("overlapHours", "24"), ("note", "a \"quoted\" line\nwith a break")])
            let text = form.line(entry, Int64(number), previous)
            previous = form.hash(text)
            return AuditLine(number: Int64(number), text: text, hash: previous)
        }
    }

    /// The fault that a walk over the lines finds first.
    private static func fault(_ lines: [AuditLine], after number: Int64 = 0) -> AuditVerification.Fault? {
        var check = AuditVerification(after: number, zeros)
        do throws(AuditVerification.Fault) { for line in lines { try check.take(line) } } catch { return error }
        return nil
    }

    @Test func `a line that cannot be opened is exported as damaged, and found`() throws {
        var lines = try Self.chain()
        lines[2] = AuditLine(number: 3, text: [], hash: lines[2].hash)
        let exported = lines.map { AuditJSON.exported($0) }
        #expect(String(decoding: exported[2], as: UTF8.self).hasPrefix(#"{"number":3,"damaged":true,"hash":""#))
        let read = try exported.map { try #require(AuditJSON.read($0)) }
        #expect(read.map(\.number) == Array(1...5))
        #expect(read.map { AuditJSON.isDamaged($0) } == [false, false, true, false, false])
        #expect(Self.fault(read)?.number == 3)
    }

    @Test func `a line tells who, what, when, from where, and hides the number`() throws {
        let line = try Self.chain(1)[0]
        let object = try JSONObject.parse(line.text)
        #expect(
            object.names == [
                "number", "at", "event", "actor", "result", "client", "address", "requestId", "subject", "detail",
                "previous",
            ])
        #expect(object["at"] == "2026-01-01T00:00:03.005Z" && object["subject"] == "abcd")
        #expect(object["event"] == "client_secret_rotated" && object["actor"] == "operator")
        #expect(!String(decoding: line.text, as: UTF8.self).contains("2015550123"))
    }

    @Test func `a chain that nobody touched is right`() throws {
        #expect(Self.fault(try Self.chain()) == nil)
        var check = AuditVerification(after: 0, Self.zeros)
        for line in try Self.chain() { try check.take(line) }
        #expect(check.count == 5 && check.number == 5)
    }

    @Test func `no entry follows the one with the largest number`() throws {
        let line = try Self.chain(1)[0]
        #expect(Self.fault([line], after: .max)?.number == .max)
        #expect(AuditVerification(after: .max, Self.zeros).next == .max)
        #expect(Self.fault([line], after: .max - 1)?.number == .max)
    }

    @Test func `an exported line is read back, and nothing else is`() throws {
        for line in try Self.chain() {
            let exported = AuditJSON.exported(line)
            #expect(AuditJSON.read(exported) == line)
            #expect((try? JSONObject.parse(exported))?["hash"] != nil)
            for end in exported.indices { #expect(AuditJSON.read(Array(exported[..<end])) == nil) }
        }
        for text in ["", "{}", #"{"number":1,"hash":"00"}"#] { #expect(AuditJSON.read(Array(text.utf8)) == nil) }
    }

    @Test func `every byte of a line counts`() throws {
        let chain = try Self.chain(3)
        for index in chain[1].text.indices {
            var text = chain[1].text
            text[index] ^= 1
            let changed = AuditLine(number: 2, text: text, hash: chain[1].hash)
            #expect(Self.fault([chain[0], changed, chain[2]])?.number == 2)
        }
    }

    @Test func `a line that was written anew is found by the next one`() throws {
        let (chain, other) = (try Self.chain(3), try Self.chain(3))
        var text = other[1].text
        text = Array(String(decoding: text, as: UTF8.self).replacing("shop", with: "shap").utf8)
        let forged = AuditLine(number: 2, text: text, hash: SHA256.digest(text))
        #expect(Self.fault([chain[0], forged, chain[2]])?.number == 3)
    }

    @Test func `lines that are missing, moved or doubled are named`() throws {
        let chain = try Self.chain()
        let missing = try #require(Self.fault([chain[0], chain[2]]))
        #expect(missing.number == 2 && missing.description == "entry 2: is missing")
        #expect(Self.fault([chain[0], chain[2], chain[1]])?.number == 2)
        #expect(Self.fault([chain[0], chain[0]])?.description == "entry 2: entry 1 stands in its place")
        #expect(Self.fault(Array(chain[1...]))?.number == 1)
    }

    @Test func `an export may begin in the middle`() throws {
        let chain = try Self.chain()
        var check = try #require(AuditVerification(from: chain[2]))
        for line in chain[2...] { try check.take(line) }
        #expect(check.count == 3 && check.number == 5)
    }

    @Test func `only the holder of the master key makes the code of the ends`() throws {
        let ends = AuditEnds(before: 1, beforeHash: Self.zeros, last: 2, lastHash: [UInt8](repeating: 9, count: 32))
        let codes = try [7, 8].map { (byte: UInt8) in
            let key = try #require(MasterKey([UInt8](repeating: byte, count: 32)))
            return try AuditForm(key) { _ in [] }.code(ends.bytes)
        }
        #expect(codes[0] != codes[1] && codes[0].count == 32)
    }

    @Test(arguments: ["", "1", "1:", ":ab", "0:" + String(repeating: "a", count: 64), "x:ab", "1:zz", "1:ab:cd"])
    func `a seen entry has a number and a hash`(_ text: String) {
        #expect(SeenEntry(argument: text) == nil)
        #expect(SeenEntry(argument: "17:" + String(repeating: "ab", count: 32))?.number == 17)
    }
}
