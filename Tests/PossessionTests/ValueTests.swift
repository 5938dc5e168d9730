@testable import Possession
import Testing

@Suite struct IdentifierTests {
    @Test func `is a lower-case version 7 UUID that begins with the time`() {
        let id = CorrelationID(at: Timestamp(milliseconds: 0x0123_4567_89AB), random: ~0)
        #expect(id.text == "01234567-89ab-7fff-bfff-ffffffffffff")
        #expect(CorrelationID(id.text) == id)
    }

    @Test func `takes 16 random bytes as it takes their bits`() {
        let now = Timestamp(milliseconds: 0x0123_4567_89AB)
        let bytes = (1...16).map { UInt8($0) }
        let id = CorrelationID(at: now, random: bytes)
        #expect(id == CorrelationID(at: now, random: 0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10))
        #expect(id.text == "01234567-89ab-7708-890a-0b0c0d0e0f10")
        #expect(CorrelationID(at: now, random: ([0] + bytes).dropFirst()) == id)
    }

    @Test func `a token's id is a version 4 UUID of random bytes`() {
        let all = DeviceTokenID(random: [UInt8](repeating: 0xFF, count: 16))
        #expect(all.text == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(DeviceTokenID(random: [UInt8](repeating: 0, count: 16)).text == "00000000-0000-4000-8000-000000000000")
    }

    @Test func `sorts by time`() {
        let early = AuthID(at: Timestamp(milliseconds: 1000), random: ~0)
        let late = AuthID(at: Timestamp(milliseconds: 1001), random: 0)
        #expect(early < late)
    }

    @Test(arguments: [
        "", "x", "0123456789ab7fffbfffffffffffffff",
        "01234567-89ab-7fff-bfff-fffffffffff", "01234567-89ab-7fff-bfff-fffffffffffff",
        "{1234567-89ab-7fff-bfff-ffffffffffff",
        "01234567+89ab-7fff-bfff-ffffffffffff", "01234567-89ab-7fff-bfff-ffffffffff\u{e9}",
        "0123456--89ab-7fff-bfff-ffffffffffff",
    ])
    func `refuses any other form`(text: String) {
        #expect(AuthID(text) == nil)
    }

    @Test(arguments: ["01234567-89AB-7FFF-BFFF-FFFFFFFFFFFF", "01234567-89aB-7fFf-BFFf-ffffffffffff"])
    func `is read in any case and written in lower case`(text: String) {
        #expect(AuthID(text)?.text == "01234567-89ab-7fff-bfff-ffffffffffff")
    }
}

@Suite struct DurationTests {
    @Test(arguments: [
        (Duration.milliseconds(1), Int64(1)), (.microseconds(1999), 1), (.microseconds(-1999), -1),
        (.seconds(86_400 * 365), 31_536_000_000), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
    ])
    func `is converted to milliseconds without fractions, limited to the range`(duration: Duration, expected: Int64) {
        #expect(duration.wholeMilliseconds == expected)
    }
}

/// DAT-04.
@Suite struct RetentionTests {
    @Test func `a session's row stays for 24 hours from its start, and never shorter than its result`() {
        var limits = Limits()
        #expect(limits.rowLifetime == .seconds(86_400))
        limits.retention = .seconds(60)
        #expect(limits.rowLifetime == .seconds(1800))
    }
}

@Suite struct PhoneNumberTests {
    @Test(arguments: [
        ("+12001004014", "+1******4014", "+1********14"), ("+447968900002", "+44******0002", "+44********02"),
        ("+35312345678", "+353****5678", "+353******78"), ("+79161234567", "+7******4567", "+7********67"),
        ("+29012", "+290**", "+290**"),
    ])
    func `shows its country and last digits only`(number: String, masked: String, logged: String) {
        #expect(Fixture.number(number).masked == masked)
        #expect("\(Fixture.number(number))" == logged)
    }

    @Test(arguments: [
        "", "+", "12001004014", "+02001004014", "+1200", "+1234567890123456", "+1200100401a", "+12001 04014",
    ])
    func `refuses what is not E.164`(text: String) {
        #expect(PhoneNumber(e164: text) == nil)
    }
}

@Suite struct OTPTests {
    @Test(arguments: ["1234", "0000", "1234567890"]) func `takes 4 to 10 digits`(text: String) {
        #expect(OTP(text)?.text == text)
    }

    @Test(arguments: ["", "123", "12345678901", "12a4", "１２３４", "12 4"]) func `refuses anything else`(text: String) {
        #expect(OTP(text) == nil)
    }

    @Test func `prints as nothing`() {
        #expect("\(OTP("1234")!)" == "<otp>")
    }

    @Test func `draws again for a byte that would favour some digits`() throws {
        let bytes: [UInt8] = [250, 251, 255, 249, 0, 255, 10, 123]
        let supply = Supply(bytes)
        let code = try OTP.random(length: 4) { _ throws(EntropyFault) in supply.next() }
        #expect(code.text == "9003")
    }

    @Test func `is uniform`() throws {
        let supply = GeneratorSupply(seed: 20_261_121)
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<25_000 {
            let code = try OTP.random(length: 4) { count throws(EntropyFault) in supply.bytes(count) }
            for digit in code.text.utf8 { counts[Int(digit) - 48] += 1 }
        }
        // Chi-square with 9 degrees of freedom: 27.9 is p = 0.001.
        let chiSquare = counts.reduce(0.0) { $0 + (Double($1) - 10_000) * (Double($1) - 10_000) / 10_000 }
        #expect(chiSquare < 27.9)
    }

    private final class Supply: @unchecked Sendable {
        // Used by one test on one thread.
        private var bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
        func next() -> [UInt8] { [bytes.removeFirst()] }
    }

    private final class GeneratorSupply: @unchecked Sendable {
        // Used by one test on one thread.
        private var generator: SeededGenerator
        init(seed: UInt64) { generator = SeededGenerator(seed: seed) }
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } }
    }
}

@Suite struct MessageTemplateTests {
    @Test(arguments: [("#### is it", 4), ("code ##### end", 5), ("######", 6), ("ça va ####", 4)])
    func `takes one run of four to six signs`(text: String, length: Int) throws {
        #expect(try MessageTemplate(text).placeholderLength == length)
    }

    @Test func `has lines, whose ends are line feeds`() throws {
        let template = try MessageTemplate("Dear customer,\r\n#### is your code.\rTeam Shop\n")
        #expect(template.text == "Dear customer,\n#### is your code.\nTeam Shop\n")
    }

    @Test(arguments: [
        ("no sign", MessageTemplate.Defect.noPlaceholder), ("### short", .noPlaceholder),
        ("####### long", .noPlaceholder),
        ("#### and ####", .severalPlaceholders), ("#### and #1", .severalPlaceholders), ("####\t", .controlCharacter),
        ("####\u{7F}", .controlCharacter), ("#### https://a.test", .containsURL), ("#### WWW.a.test", .containsURL),
        ("#### get evil.example/x", .containsURL), ("evil.com ####", .containsURL), ("####: evil.com", .containsURL),
        ("evil.com?x=1 ####", .containsURL), ("evil.com:80 ####", .containsURL), ("EVIL．com ####", .containsURL),
        ("evil。com ####", .containsURL), ("evil｡ｃｏｍ ####", .containsURL), ("evil.\u{301}com ####", .containsURL),
        ("[evil.com](x) ####", .containsURL), ("[here](x) ####", .containsURL), ("(evil.com) ####", .containsURL),
        ("evil.com. ####", .containsURL), ("#### a.xn--p1ai", .containsURL), ("#### пример.рф", .containsURL),
        ("#### 203.0.113.9", .containsURL), ("#### mail@evil.com", .containsURL), ("#### evil.com/1.5", .containsURL),
        ("#### ｈｔｔｐ：／／evil", .containsURL), ("#### \u{202E}moc", .controlCharacter),
        ("#### a\u{200B}b", .controlCharacter), ("#### a\u{2066}b", .controlCharacter),
        ("#### a\u{FEFF}b", .controlCharacter), ("#### a\u{2028}b", .controlCharacter),
        ("#### and #\u{FE0F}\u{20E3}", .severalPlaceholders), ("#### evil .com", .containsURL),
        ("#### evil[.]com", .containsURL), ("#### evil (dot) com", .containsURL), ("#### evil‧com", .containsURL),
        ("#### evil٠com", .containsURL), ("#### http:\\\\evil", .containsURL), ("#### //evil", .containsURL),
        ("#### 2130706433/x", .containsURL), ("#### mailto:a@b", .containsURL), ("#### TEL:110", .containsURL),
        ("#### call 1-900-555-0100", .containsURL), ("#### call (206) 555 0199", .containsURL),
        ("call +49 30/1234567 ####", .containsURL), ("#### 206‑555‑0199", .containsURL), ("#### ٢٠٦٥٥٥٠", .containsURL),
        ("#### 2065550199", .containsURL), ("#### evil.c0m", .containsURL), ("#### evil.1com", .containsURL),
    ])
    func `names the rule a text breaks`(text: String, defect: MessageTemplate.Defect) {
        #expect(throws: defect) { try MessageTemplate(text, lengths: 4...6) }
    }

    @Test(arguments: [
        "Acme Inc. code ####, e.g. for sign-in", "#### is your code. Do not share it",
        "Pay 12.50 with ####", "U.S. code ####", "#### at 9 a.m. today...", "v1.2: ####", "Dr. No: ####", "#### 24/7",
        "code #### [ab] (cd)", "你好。 ####", "验证码是####。请勿泄露", "#### 👍🏽", "#### for order 123456", "#### and/or",
        "Room 3.14b: ####",
        "#### bis 25.11. um 9.30 Uhr", "In an emergency call 112. ####", "col·lecció ####",
    ])
    func `takes texts with dots that are no links`(text: String) {
        #expect(throws: Never.self) { try MessageTemplate(text) }
    }

    @Test func `holds 160 characters and no more`() {
        #expect(throws: Never.self) { try MessageTemplate("####" + String(repeating: "a", count: 156)) }
        #expect(throws: MessageTemplate.Defect.tooLong) {
            try MessageTemplate("####" + String(repeating: "a", count: 157))
        }
    }

    @Test func `is filled at its signs`() throws {
        #expect(try MessageTemplate("Use #### now").filled(with: "0042") == "Use 0042 now")
        #expect(try MessageTemplate("######").filled(with: "#2") == "#2")
        #expect(try MessageTemplate("ça ####é").filled(with: "12") == "ça 12é")
    }
}

@Suite struct FinalTargetURLTests {
    private let registered = TenantRules(finalTargetHosts: ["good.example", "*.apps.example"])
    private let sandbox = TenantRules(anyFinalTargetHost: true)

    @Test(arguments: [
        "https://good.example", "https://good.example/path?x=1", "https://GOOD.example:8443/",
        "https://a.apps.example/",
    ])
    func `passes on a registered host`(text: String) throws {
        #expect(try FinalTargetURL(text).isAllowed(by: registered))
    }

    @Test(arguments: [
        "https://good.example.evil.test", "https://evil.test/good.example", "http://good.example",
        "https://apps.example",
        "https://evilapps.example", "https://evil.test?good.example", "https://good.example.",
    ])
    func `is refused elsewhere`(text: String) {
        #expect((try? FinalTargetURL(text).isAllowed(by: registered)) != true)
    }

    @Test(arguments: [
        "", "good.example", "//evil.test", "https:/evil", "https:///x", "javascript:alert", "ftp://good.example",
        "https://",
        "https://good.example@evil.test", "https://good.example%2eevil.test", "https://good.example\\x", "https://a b",
        "https://good.example:0", "https://good.example:65536", "https://good.example:1:2", "https://good.example:+443",
        "https://good.example:x",
        "https://-a.example", "https://a..example", "https://good.example/\n", "https://good.example#f", "app://open",
    ])
    func `is refused when its form could be read in two ways`(text: String) {
        #expect((try? FinalTargetURL(text)) == nil)
    }

    @Test func `may be on loopback in sandbox`() throws {
        #expect(try FinalTargetURL("http://127.0.0.1:3000/done").isAllowed(by: sandbox))
        #expect(try FinalTargetURL("https://any.example/").isAllowed(by: sandbox))
        #expect(try !FinalTargetURL("http://any.example/").isAllowed(by: sandbox))
    }

    @Test func `has at most 128 characters`() {
        let base = "https://good.example/"
        let full = base + String(repeating: "a", count: 128 - base.utf8.count)
        #expect((try? FinalTargetURL(full)) != nil)
        #expect(throws: FinalTargetURL.Defect.tooLong) { try FinalTargetURL(full + "a") }
    }
}
