import Testing

@testable import HTTPServer

@Suite struct RequestParserTests {
    private static let h = "Host: a.example\r\n"

    /// A stream, its verdict (`nil`: one sound request), and the requirement it shows.
    struct Case: Sendable, CustomTestStringConvertible {
        let rule: String
        let stream: [UInt8]
        let status: Int?

        init(_ rule: String, _ text: String, _ status: Int?) {
            self.rule = rule
            stream = text.unicodeScalars.map { UInt8($0.value) }
            self.status = status
        }

        var testDescription: String { rule.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() }
    }

    static let requestLines: [Case] = [
        Case("HTTP-01 plain", "GET / HTTP/1.1\r\n\(h)\r\n", nil),
        Case("HTTP-01 two blanks", "GET  / HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 two blanks before the version", "GET /  HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 tab", "GET\t/ HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 tab before the version", "GET /\tHTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 vertical tab", "GET\u{0B}/ HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 form feed", "GET /\u{0C}HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 blank at the end", "GET / HTTP/1.1 \r\n\(h)\r\n", 400),
        Case("HTTP-01 blank first", " GET / HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 no target", "GET HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 no version", "GET /\r\n\r\n", 400),
        Case("HTTP-01 method with a parenthesis", "G(T / HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 NUL first", "\u{0}GET / HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-01 byte order mark", "\u{EF}\u{BB}\u{BF}GET / HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-02 1.0", "GET / HTTP/1.0\r\n\(h)\r\n", nil),
        Case("HTTP-02 1.2", "GET / HTTP/1.2\r\n\(h)\r\n", nil),
        Case("HTTP-02 1.9", "GET / HTTP/1.9\r\n\(h)\r\n", nil),
        Case("HTTP-02 2.0", "GET / HTTP/2.0\r\n\(h)\r\n", 505),
        Case("HTTP-02 0.9", "GET / HTTP/0.9\r\n\(h)\r\n", 505),
        Case("HTTP-02 lower case", "GET / http/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-02 mixed case", "GET / Http/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-02 two digits", "GET / HTTP/1.10\r\n\(h)\r\n", 400),
        Case("HTTP-02 leading zero", "GET / HTTP/01.1\r\n\(h)\r\n", 400),
        Case("HTTP-02 no dot", "GET / HTTP/11\r\n\(h)\r\n", 400),
        Case("HTTP-02 comma", "GET / HTTP/1,1\r\n\(h)\r\n", 400),
        Case("HTTP-02 no minor", "GET / HTTP/1.\r\n\(h)\r\n", 400),
        Case("HTTP-02 letter", "GET / HTTP/1.x\r\n\(h)\r\n", 400),
        Case("HTTP-02 another protocol", "GET / HTTQ/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-03 bare LF", "GET / HTTP/1.1\n\(h)\r\n", 400),
        Case("HTTP-03 bare CR", "GET / HTTP/1.1\r\(h)\r\n", 400),
        Case("HTTP-03 CR CR LF", "GET / HTTP/1.1\r\r\n\(h)\r\n", 400),
        Case("HTTP-04 an empty line first", "\r\nGET / HTTP/1.1\r\n\(h)\r\n", nil),
        Case("HTTP-04 two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-04 a bare LF first", "\nGET / HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 fragment", "GET /#a HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 byte over 0x7F", "GET /\u{E9} HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 DEL", "GET /\u{7F} HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 NUL", "GET /\u{0} HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 no slash", "GET a HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 cut triplet", "GET /%4 HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 wrong triplet", "GET /%4g HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 cut triplet in the query", "GET /?a=% HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 absolute form", "GET http://a.example/ HTTP/1.1\r\n\(h)\r\n", nil),
        Case("HTTP-10 absolute form, odd case", "GET HtTp://a.example/ HTTP/1.1\r\n\(h)\r\n", nil),
        Case("HTTP-10 absolute form without Host", "GET http://a.example/ HTTP/1.1\r\n\r\n", 400),
        Case("HTTP-10 absolute form with userinfo", "GET http://u@a.example/ HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 absolute form without host", "GET http:///x HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 another scheme", "GET ftp://a.example/ HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 asterisk with OPTIONS", "OPTIONS * HTTP/1.1\r\n\(h)\r\n", nil),
        Case("HTTP-10 asterisk with GET", "GET * HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 authority with CONNECT", "CONNECT a.example:443 HTTP/1.1\r\n\(h)\r\n", nil),
        Case("HTTP-10 authority with GET", "GET a.example:443 HTTP/1.1\r\n\(h)\r\n", 400),
        Case("HTTP-10 path with CONNECT", "CONNECT /a HTTP/1.1\r\n\(h)\r\n", 400),
        Case(
            "HTTP-19 request line of 8000 octets", "GET /\(String(repeating: "a", count: 7985)) HTTP/1.1\r\n\(h)\r\n",
            nil),
        Case("HTTP-19 longest target", "GET /\(String(repeating: "a", count: 16383)) HTTP/1.1\r\n\(h)\r\n", nil),
        Case("HTTP-19 target one too long", "GET /\(String(repeating: "a", count: 16384)) HTTP/1.1\r\n\(h)\r\n", 414),
        Case("HTTP-19 method of 31 octets", "\(String(repeating: "M", count: 31)) / HTTP/1.1\r\n\(h)\r\n", nil),
        Case("HTTP-19 endless method", String(repeating: "M", count: 5000), 501),
        Case("HTTP-30 HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        Case("HTTP-30 TLS hello", "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}", 400),
    ]

    static let fields: [Case] = [
        Case("HTTP-05 blank before the colon", "GET / HTTP/1.1\r\n\(h)A : 1\r\n\r\n", 400),
        Case("HTTP-05 tab before the colon", "GET / HTTP/1.1\r\n\(h)A\t: 1\r\n\r\n", 400),
        Case("HTTP-05 no colon", "GET / HTTP/1.1\r\n\(h)A\r\n\r\n", 400),
        Case("HTTP-05 empty name", "GET / HTTP/1.1\r\n\(h): 1\r\n\r\n", 400),
        Case("HTTP-05 bracket in the name", "GET / HTTP/1.1\r\n\(h)A[0]: 1\r\n\r\n", 400),
        Case("HTTP-05 byte over 0x7F in the name", "GET / HTTP/1.1\r\n\(h)A\u{E9}: 1\r\n\r\n", 400),
        Case("HTTP-05 NUL in the name", "GET / HTTP/1.1\r\n\(h)A\u{0}: 1\r\n\r\n", 400),
        Case("HTTP-05 every token character", "GET / HTTP/1.1\r\n\(h)!#$%&'*+-.^_`|~09azAZ: 1\r\n\r\n", nil),
        Case("HTTP-06 underscore is another name", "GET / HTTP/1.1\r\n\(h)Content_Length: 3\r\n\r\n", nil),
        Case("HTTP-07 HTAB in a value", "GET / HTTP/1.1\r\n\(h)A: a\tb\r\n\r\n", nil),
        Case("HTTP-07 opaque bytes", "GET / HTTP/1.1\r\n\(h)A: \u{80}\u{FF}\r\n\r\n", nil),
        Case("HTTP-07 NUL in a value", "GET / HTTP/1.1\r\n\(h)A: a\u{0}b\r\n\r\n", 400),
        Case("HTTP-07 0x01 in a value", "GET / HTTP/1.1\r\n\(h)A: \u{1}\r\n\r\n", 400),
        Case("HTTP-07 vertical tab in a value", "GET / HTTP/1.1\r\n\(h)A: \u{0B}\r\n\r\n", 400),
        Case("HTTP-07 DEL in a value", "GET / HTTP/1.1\r\n\(h)A: \u{7F}\r\n\r\n", 400),
        Case("HTTP-07 bare CR in a value", "GET / HTTP/1.1\r\n\(h)A: a\rb\r\n\r\n", 400),
        Case("HTTP-08 folded line", "GET / HTTP/1.1\r\n\(h)A: a\r\n b\r\n\r\n", 400),
        Case("HTTP-08 folded line with a tab", "GET / HTTP/1.1\r\n\(h)A: a\r\n\tb\r\n\r\n", 400),
        Case("HTTP-08 blank before the first field", "GET / HTTP/1.1\r\n A: a\r\n\(h)\r\n", 400),
        Case("HTTP-08 blank line of blanks", "GET / HTTP/1.1\r\n\(h) \r\n\r\n", 400),
        Case("HTTP-03 bare LF after a field", "GET / HTTP/1.1\r\n\(h)A: a\n\r\n", 400),
        Case("HTTP-03 end of the header with a bare LF", "GET / HTTP/1.1\r\n\(h)\n", 400),
        Case("HTTP-03 end of the header with CR CR", "GET / HTTP/1.1\r\n\(h)\r\r", 400),
        Case(
            "HTTP-20 as many fields as allowed",
            "GET / HTTP/1.1\r\n\(h)\(String(repeating: "A: a\r\n", count: 199))\r\n", nil),
        Case(
            "HTTP-20 one field too many", "GET / HTTP/1.1\r\n\(h)\(String(repeating: "A: a\r\n", count: 200))\r\n", 431),
        // The section is Host (17 octets), "A: " and CRLF (5), and the last CRLF (2).
        Case(
            "HTTP-20 largest header",
            "GET / HTTP/1.1\r\n\(h)A: \(String(repeating: "a", count: 32 * 1024 - 24))\r\n\r\n", nil),
        Case(
            "HTTP-20 header one too large",
            "GET / HTTP/1.1\r\n\(h)A: \(String(repeating: "a", count: 32 * 1024 - 23))\r\n\r\n", 431),
        Case("HTTP-20 endless value", "GET / HTTP/1.1\r\n\(h)A: \(String(repeating: "a", count: 40_000))", 431),
        Case("HTTP-20 endless name", "GET / HTTP/1.1\r\n\(h)\(String(repeating: "a", count: 40_000))", 431),
        Case("Authorization twice", "GET / HTTP/1.1\r\n\(h)Authorization: a\r\nauthorization: a\r\n\r\n", 400),
    ]

    static let hosts: [Case] =
        [
            ("a.example", nil), ("A.EXAMPLE:8080", nil), ("127.0.0.1:1", nil), ("[::1]", nil), ("[::1]:80", nil),
            ("[v1.a:b]", nil), ("a%41b", nil), ("a_b", nil), ("a.example:", nil),
            ("", 400), ("a/x", 400), ("u@a", 400), ("a:80a", 400), ("a:80:80", 400), ("a b", 400), ("a, b", 400),
            (":80", 400),
            ("[::1", 400), ("::1", 400), ("[::1]x", 400), ("[:::1]", 400), ("[]", 400), ("[fe80::1%25eth0]", 400),
            ("[v.a]", 400),
            ("a%4", 400), ("a%zz", 400), ("a?b", 400), ("a#b", 400), ("a\\b", 400), ("\u{E9}", 400), ("a:-1", 400),
            ("<a>", 400),
        ].map { Case("HTTP-09 host \($0.0)", "GET / HTTP/1.1\r\nHost: \($0.0)\r\n\r\n", $0.1) } + [
            Case("HTTP-09 none", "GET / HTTP/1.1\r\n\r\n", 400),
            Case("HTTP-09 none in 1.0", "GET / HTTP/1.0\r\n\r\n", nil),
            Case("HTTP-09 empty in 1.0", "GET / HTTP/1.0\r\nHost:\r\n\r\n", nil),
            Case("HTTP-09 wrong in 1.0", "GET / HTTP/1.0\r\nHost: a/b\r\n\r\n", 400),
            Case("HTTP-09 two different", "GET / HTTP/1.1\r\n\(h)Host: b\r\n\r\n", 400),
            Case("HTTP-09 two equal", "GET / HTTP/1.1\r\n\(h)hOsT: a.example\r\n\r\n", 400),
        ]

    static let framings: [Case] =
        [
            ("Content-Length: 3\r\n", nil), ("Content-Length: 003\r\n", nil), ("Content-Length:\t3 \r\n", nil),
            ("Content-Length: +3\r\n", 400), ("Content-Length: -3\r\n", 400), ("Content-Length: 0x3\r\n", 400),
            ("Content-Length: 3.0\r\n", 400), ("Content-Length: 3e0\r\n", 400), ("Content-Length: 3 3\r\n", 400),
            ("Content-Length:\r\n", 400), ("Content-Length: 3, 3\r\n", 400), ("Content-Length: 3,4\r\n", 400),
            ("Content-Length: 3\r\nContent-Length: 3\r\n", 400), ("Content-Length: 3\r\nContent-Length: 4\r\n", 400),
            ("Content-Length: 3abc\r\n", 400), ("Content-Length: \u{B3}\r\n", 400), ("Content-Length : 3\r\n", 400),
            ("Content-Length: 1048577\r\n", 413), ("Content-Length: 9223372036854775807\r\n", 413),
            ("Content-Length: 9223372036854775808\r\n", 413), ("Content-Length: 18446744073709551619\r\n", 413),
            ("Content-Length: \(String(repeating: "9", count: 300))\r\n", 413),
            ("Content-Length: \(String(repeating: "0", count: 300))3\r\n", nil),
            ("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", 400),
            ("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400),
            ("Transfer-Encoding: xchunked\r\n", 400), ("Transfer-Encoding: identity\r\n", 400),
            ("Transfer-Encoding:\r\n", 400),
            ("Transfer-Encoding: gzip, chunked\r\n", 501), ("Transfer-Encoding: chunked, gzip\r\n", 400),
            ("Transfer-Encoding: chunked, chunked\r\n", 400), ("Transfer-Encoding: chunked;a=b\r\n", 400),
            ("Transfer-Encoding: \"chunked\"\r\n", 400), ("Transfer-Encoding: \u{0B}chunked\r\n", 400),
            ("Transfer-Encoding: \u{A0}chunked\r\n", 400), ("Transfer-Encoding: chunked\u{0}\r\n", 400),
            ("Transfer-Encoding: ,chunked\r\n", 400), ("Transfer-Encoding: chunked,\r\n", 400),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400),
            ("Transfer-Encoding:\r\n chunked\r\n", 400), ("Transfer-Encoding : chunked\r\n", 400),
        ].map { Case("HTTP-12 to HTTP-14 \($0.0)", "POST / HTTP/1.1\r\n\(h)\($0.0)\r\nabc", $0.1) } + [
            Case(
                "HTTP-13 chunked in 1.0",
                "POST / HTTP/1.0\r\n\(h)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 400)
        ]

    static let chunks: [Case] = [
        ("3\r\nabc\r\n0\r\n\r\n", nil), ("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", nil), ("0003\r\nabc\r\n000\r\n\r\n", nil),
        ("3;a\r\nabc\r\n0\r\n\r\n", nil), ("3;a=b;c=\"d;\\\"e\"\r\nabc\r\n0;x\r\n\r\n", nil),
        ("3 ; a = b\r\nabc\r\n0\r\n\r\n", nil), ("3\t;a=\"\"\r\nabc\r\n0\r\n\r\n", nil),
        ("3;a=\"\u{E9}\"\r\nabc\r\n0\r\n\r\n", nil),
        ("3\r\nabc\r\n0\r\nA: b\r\nContent-Type: c\r\n\r\n", nil),
        ("3\r\nabc\r\n0\r\nA: b\r\nContent-Length: 9\r\n\r\n", 400),
        ("0x3\r\nabc\r\n0\r\n\r\n", 400), ("+3\r\nabc\r\n0\r\n\r\n", 400), ("-3\r\nabc\r\n0\r\n\r\n", 400),
        ("3_0\r\nabc\r\n0\r\n\r\n", 400), (" 3\r\nabc\r\n0\r\n\r\n", 400), ("3 \r\nabc\r\n0\r\n\r\n", 400),
        ("\r\n3\r\nabc\r\n0\r\n\r\n", 400), ("g\r\nabc\r\n0\r\n\r\n", 400), ("3\nabc\r\n0\r\n\r\n", 400),
        ("3\rabc\r\n0\r\n\r\n", 400), ("3\r\nabc\n0\r\n\r\n", 400), ("3\r\nabc0\r\n\r\n", 400),
        ("3\r\nabcd\r\n0\r\n\r\n", 400),
        ("3\r\nabc\r\n0\r\n\n", 400), ("3\r\nabc\r\n0\n\r\n", 400), (";a\r\nabc\r\n0\r\n\r\n", 400),
        ("3;\r\nabc\r\n0\r\n\r\n", 400), ("3;a=\r\nabc\r\n0\r\n\r\n", 400), ("3;a \r\nabc\r\n0\r\n\r\n", 400),
        ("3;=b\r\nabc\r\n0\r\n\r\n", 400), ("3;a\rb\r\nabc\r\n0\r\n\r\n", 400), ("3;a\nb\r\nabc\r\n0\r\n\r\n", 400),
        ("3;a\u{0}\r\nabc\r\n0\r\n\r\n", 400), ("3;a=\"b\r\nabc\r\n0\r\n\r\n", 400),
        ("3;a=\"b\"c\r\nabc\r\n0\r\n\r\n", 400),
        ("3;(\r\nabc\r\n0\r\n\r\n", 400), ("3;a=(\r\nabc\r\n0\r\n\r\n", 400),
        ("3\r\nabc\r\n0\r\nA b\r\n\r\n", 400), ("3\r\nabc\r\n0\r\nA : b\r\n\r\n", 400),
        ("3\r\nabc\r\n0\r\n A: b\r\n\r\n", 400),
        ("3\r\nabc\r\n0\r\nA: \u{0}\r\n\r\n", 400), ("3\r\nabc\r\n0\r\nA: b\n\r\n", 400),
        ("3\r\nabc\r\n0\r\n: b\r\n\r\n", 400),
        ("100001\r\n", 413), ("40000000", 413), ("10000000000000003\r\nabc", 413), ("FFFFFFFFFFFFFFFF\r\n", 413),
        ("3\r\nabc\r\nFFFFE\r\n", 413), ("\(String(repeating: "0", count: 5000))3\r\nabc\r\n0\r\n\r\n", 400),
        ("3;a=\(String(repeating: "x", count: 5000))\r\nabc\r\n0\r\n\r\n", 400),
        ("3\r\nabc\r\n0\r\nA: \(String(repeating: "x", count: 9000))\r\n\r\n", 431),
    ].map {
        Case(
            "HTTP-15 to HTTP-17 \($0.0.prefix(40))", "POST / HTTP/1.1\r\n\(h)Transfer-Encoding: Chunked\r\n\r\n\($0.0)",
            $0.1)
    }

    @Test(arguments: requestLines + fields + hosts + framings + chunks)
    func `gives every stream the same verdict however it is cut`(example: Case) {
        let whole = ParsedStream(example.stream)
        #expect(whole.status == example.status)
        if example.status == nil {
            #expect(whole.messages.count == 1)
            #expect(whole.isInStep)
        }
        for size in [1, 2, 3, 7, 64] {
            #expect(ParsedStream(example.stream, pieces: size) == whole, "in pieces of \(size)")
        }
        if example.stream.count < 300 {
            for cut in 0...example.stream.count {
                #expect(ParsedStream(example.stream, cutAt: cut) == whole, "cut at \(cut)")
            }
        }
    }

    @Test func `cuts blanks off values and keeps names and order`() {
        let parsed = ParsedStream("GET / HTTP/1.1\r\n\(Self.h)A:b\r\nEmpty:\r\nB: \t c  d \t\r\nBlank: \t \r\n\r\n")
        #expect(parsed.messages.first?.fields == ["Host: a.example", "A: b", "Empty: ", "B: c  d", "Blank: "])
    }

    @Test func `takes the authority from an absolute target, else from Host, in lower case`() {
        let absolute = ParsedStream("GET http://B.example:81?x HTTP/1.1\r\n\(Self.h)\r\n")
        #expect(absolute.messages.first?.host == "b.example:81")
        #expect(absolute.messages.first?.path == "/")
        #expect(ParsedStream("GET / HTTP/1.1\r\nHost: A.Example\r\n\r\n").messages.first?.host == "a.example")
        #expect(ParsedStream("GET / HTTP/1.0\r\n\r\n").messages.first?.host == nil)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "Connection: a, ClOsE\r\n", false),
        ("HTTP/1.1", "Connection: a\r\nConnection: close\r\n", false), ("HTTP/1.1", "Connection: closed\r\n", true),
        ("HTTP/1.1", "Connection: keep-alive, close\r\n", false), ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Connection: Keep-Alive\r\n", true), ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
    ])
    func `keeps the connection as version and Connection say`(version: String, fields: String, keeps: Bool) {
        #expect(ParsedStream("GET / \(version)\r\n\(Self.h)\(fields)\r\n").messages.first?.keepsAlive == keeps)
    }

    @Test func `reads pipelined requests one after the other`() {
        let stream =
            Fixture.post("/a", "one") + Fixture.get("/b") + "\r\n"
            + "POST /c HTTP/1.1\r\n\(Self.h)Transfer-Encoding: chunked\r\n\r\n2\r\nth\r\n3\r\nree\r\n0\r\nX: y\r\n\r\n"
            + Fixture.get("/d")
        for size in [Int.max, 1, 2, 3, 7, 64] {
            let parsed = ParsedStream(stream, pieces: size)
            #expect(parsed.messages.map(\.path) == ["/a", "/b", "/c", "/d"])
            #expect(parsed.messages.map { String(decoding: $0.body, as: UTF8.self) } == ["one", "", "three", ""])
            #expect(parsed.isInStep)
        }
    }

    @Test(arguments: [
        "Content-Length: 5", "Content-Length:", "transfer-encoding: chunked", "HOST: b.example", "Trailer: X-A",
        "tE: trailers", "Connection: close", "Upgrade: h2c",
    ])
    func `refuses a trailer that would decide about framing or routing`(field: String) {
        let start = "POST / HTTP/1.1\r\n\(Self.h)Transfer-Encoding: chunked\r\n\r\n0\r\n"
        for before in ["", "X-A: b\r\n"] {
            for size in [Int.max, 1] {
                let refused = ParsedStream("\(start)\(before)\(field)\r\n\r\n", pieces: size)
                #expect(refused.failure == .badRequest(reason: "a framing field in the trailer"))
                #expect(refused.messages.isEmpty)
            }
        }
        // Only under the very name: one that begins or ends so is another field.
        let (name, rest) = (field.prefix { $0 != ":" }, field.drop { $0 != ":" })
        for other in ["X-\(field)", "\(name)2\(rest)", "\(name)-Encoding-Of-A-Long-Name\(rest)"] {
            #expect(ParsedStream("\(start)\(other)\r\n\r\n").failure == nil)
        }
    }

    @Test func `never merges a trailer into the header`() {
        let parsed = ParsedStream(
            "POST / HTTP/1.1\r\n\(Self.h)Transfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: x\r\n\r\n")
        #expect(parsed.messages.first?.fields == ["Host: a.example", "Transfer-Encoding: chunked"])
    }

    @Test(arguments: [(1, 1), (5, 2), (9000, 1), (4096, 100), (100_000, 1000)])
    func `reads the same body with a length and in chunks`(size: Int, chunk: Int) {
        var random = SeededGenerator(seed: UInt64(size))
        let body = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        let byLength = Array("POST / HTTP/1.1\r\n\(Self.h)Content-Length: \(size)\r\n\r\n".utf8) + body
        var byChunks = Array("POST / HTTP/1.1\r\n\(Self.h)Transfer-Encoding: chunked\r\n\r\n".utf8)
        for start in stride(from: 0, to: size, by: chunk) {
            let piece = body[start..<min(start + chunk, size)]
            byChunks += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
        }
        byChunks += Array("0\r\n\r\n".utf8)
        #expect(ParsedStream(byLength).messages.map(\.body) == [body])
        #expect(ParsedStream(byChunks).messages.map(\.body) == [body])
        #expect(ParsedStream(byChunks, pieces: 13).messages.map(\.body) == [body])
    }

    @Test func `takes a body of the limit in chunks and refuses one byte more`() {
        var limits = Limits()
        limits.maxBodyBytes = 10
        let head = "POST / HTTP/1.1\r\n\(Self.h)Transfer-Encoding: chunked\r\n\r\n"
        #expect(ParsedStream(head + "5\r\nabcde\r\n5\r\nabcde\r\n0\r\n\r\n", limits: limits).messages.count == 1)
        #expect(ParsedStream(head + "5\r\nabcde\r\n6\r\n", limits: limits).status == 413)
    }
}
