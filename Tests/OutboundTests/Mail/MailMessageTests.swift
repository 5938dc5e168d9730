import Testing
import Text

@testable import Outbound
@testable import Possession

/// The form of e-mails (RFC 5322, RFC 2045, RFC 2047).
@Suite struct MailMessageTests {
    private static func message(
        name: String? = nil, subject: String = "Your code", text: String = "It is 123456."
    ) -> String {
        String(
            decoding: MailMessage(
                from: EmailAddress("No-Reply@Shop.example")!, name: name, to: EmailAddress("ada@example.com")!,
                subject: subject, text: text, id: "0198f0c2-7d3a-7b1e-9a55-1c2d3e4f5a6b",
                at: Timestamp(seconds: 1_795_663_684)
            ).bytes, as: UTF8.self)
    }

    private static func header(_ name: String, _ message: String) -> String? {
        let head = message.components("\r\n\r\n")[0]
        let lines = head.components("\r\n")
        guard let first = lines.firstIndex(where: { $0.hasPrefix(name + ": ") }) else { return nil }
        let more = lines[(first + 1)...].prefix { $0.hasPrefix(" ") }
        return ([String(lines[first].dropFirst(name.utf8.count + 2))] + more).joined(separator: "\r\n")
    }

    private static func body(_ text: String) -> String {
        String(decoding: MailMessage.quotedPrintable(text), as: UTF8.self)
    }

    @Test func `has every header that mail needs, and a body in quoted-printable`() {
        let expected = """
            Date: Thu, 26 Nov 2026 03:28:04 +0000\r
            Message-ID: <0198f0c2-7d3a-7b1e-9a55-1c2d3e4f5a6b@shop.example>\r
            From: No-Reply@shop.example\r
            To: ada@example.com\r
            Subject: Your code\r
            MIME-Version: 1.0\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Transfer-Encoding: quoted-printable\r
            Auto-Submitted: auto-generated\r
            \r
            It is 123456.\r

            """
        #expect(Self.message() == expected)
    }

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 +0000"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (1_767_225_599, "Wed, 31 Dec 2025 23:59:59 +0000"),
        ] as [(Int64, String)])
    func `writes the day of the week and the date in UTC`(seconds: Int64, text: String) {
        #expect(MailDate.text(Timestamp(seconds: seconds)) == text)
    }

    @Test func `encodes a subject that is not plain ASCII, in words of at most 75 bytes`() {
        let subject = String(repeating: "Größe 😀 ", count: 12)
        let header = Self.header("Subject", Self.message(subject: subject)) ?? ""
        let words = header.components("\r\n ")
        #expect(words.count > 1 && words.allSatisfy { $0.hasPrefix("=?utf-8?B?") && $0.hasSuffix("?=") })
        #expect(words.allSatisfy { $0.utf8.count <= 75 })
        let bytes = words.flatMap { Base64.decode($0.utf8.dropFirst(10).dropLast(2)) ?? [] }
        #expect(String(decoding: bytes, as: UTF8.self) == subject)
        // Each word has whole characters.
        for word in words {
            let part = Base64.decode(word.utf8.dropFirst(10).dropLast(2)) ?? []
            #expect(String(validating: part, as: UTF8.self) != nil)
        }
    }

    @Test(arguments: ["=?utf-8?Q?x?=", "a\r\nBcc: b@example.com", "a\u{0}", String(repeating: "a", count: 68)])
    func `encodes what would be read as something else, or is too long for a line`(subject: String) {
        let message = Self.message(subject: subject)
        let header = Self.header("Subject", message) ?? ""
        #expect(header.hasPrefix("=?utf-8?B?"))
        #expect(Self.header("Bcc", message) == nil)
        #expect(message.utf8.split(separator: 0x0A).allSatisfy { $0.count <= 78 })
    }

    @Test(arguments: [
        ("Shop", #""Shop" <No-Reply@shop.example>"#), (#"A "B" \"#, #""A \"B\" \\" <No-Reply@shop.example>"#),
        ("Köln", "=?utf-8?B?S8O2bG4=?= <No-Reply@shop.example>"),
        ("a\r\nBcc: b@example.com", "=?utf-8?B?YQ0KQmNjOiBiQGV4YW1wbGUuY29t?= <No-Reply@shop.example>"),
    ])
    func `shows the sender's name as a phrase`(name: String, header: String) {
        #expect(Self.header("From", Self.message(name: name)) == header)
    }

    // MARK: Quoted-printable

    @Test(arguments: [
        ("a=b", "a=3Db\r\n"), ("ä", "=C3=A4\r\n"), ("", "\r\n"), ("a\nb", "a\r\nb\r\n"), ("a\r\nb", "a\r\nb\r\n"),
        ("a \nb\t", "a=20\r\nb=09\r\n"), ("a b\tc", "a b\tc\r\n"), (".", ".\r\n"), ("a\rb", "a=0Db\r\n"),
        ("\u{0}", "=00\r\n"),
    ])
    func `writes lines of printable bytes`(text: String, encoded: String) {
        #expect(Self.body(text) == encoded)
    }

    @Test(arguments: ["a", "ä", "=", "a ", "😀"], [70, 75, 76, 77, 152, 480])
    func `breaks long lines so that they are read as one`(piece: String, count: Int) {
        let text = String(repeating: piece, count: count)
        let encoded = Self.body(text)
        let lines = encoded.components("\r\n").dropLast()
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
        // A line that goes on ends in `=`, and no line ends in a blank.
        #expect(lines.dropLast().allSatisfy { $0.hasSuffix("=") } && lines.allSatisfy { !$0.hasSuffix(" ") })
        #expect(Self.decoded(lines) == Array(text.utf8))
    }

    private static func decoded(_ lines: ArraySlice<String>) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, line) in lines.enumerated() {
            var rest = Array(line.utf8)[...]
            if index < lines.count - 1 { rest = rest.dropLast() }
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "=") else {
                    bytes.append(byte)
                    continue
                }
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            }
        }
        return bytes
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        var parts: [String] = []
        var rest = Array(utf8)[...]
        let mark = Array(separator.utf8)
        while let range = rest.firstRange(of: mark) {
            parts.append(String(decoding: rest[..<range.lowerBound], as: UTF8.self))
            rest = rest[range.upperBound...]
        }
        return parts + [String(decoding: rest, as: UTF8.self)]
    }
}
