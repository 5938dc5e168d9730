import Testing

@testable import HTTPServer

@Suite struct ResponseEncoderTests {
    private func encode(_ response: Response, _ context: ResponseEncoder.Context = .init(requestID: "r-1")) -> String? {
        var encoder = ResponseEncoder()
        var output: [UInt8] = []
        guard encoder.encode(response, context, into: &output) else {
            #expect(output.isEmpty)
            return nil
        }
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `writes the whole response`() throws {
        let text = try #require(
            encode(Response(status: 201, headers: [("Content-Type", "a/b")], body: Array("hi".utf8))))
        let lines = text.components(separatedBy: "\r\n")
        #expect(lines[0] == "HTTP/1.1 201 Created")
        #expect(lines[1].hasPrefix("Date: "))
        #expect(
            lines[2...] == [
                "Content-Type: a/b", "Cache-Control: no-store", "X-Content-Type-Options: nosniff", "X-Request-Id: r-1",
                "Content-Length: 2", "", "hi",
            ])
    }

    @Test func `sends no content to HEAD, but its length`() throws {
        let text = try #require(encode(Response(status: 200, body: Array("hi".utf8)), .init(isHead: true)))
        #expect(text.contains("Content-Length: 2\r\n\r\n"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [204, 304])
    func `sends neither content nor length with 204 and 304`(status: Int) throws {
        let text = try #require(encode(Response(status: status, body: Array("hi".utf8))))
        #expect(!text.contains("Content-Length"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test func `keeps its own fields to itself and lets others be set`() throws {
        let headers = [
            ("Content-Length", "99"), ("date", "x"), ("CONNECTION", "x"), ("X-Request-Id", "x"),
            ("Transfer-Encoding", "x"),
            ("cache-control", "max-age=60"), ("X-Content-Type-Options", "y"),
        ]
        let text = try #require(encode(Response(status: 200, headers: headers.map { (name: $0.0, value: $0.1) })))
        #expect(text.lowercased().components(separatedBy: "content-length").count == 2)
        #expect(!text.lowercased().contains("transfer-encoding"))
        #expect(text.contains("cache-control: max-age=60\r\n"))
        #expect(!text.contains("no-store"))
        #expect(!text.contains("nosniff"))
        #expect(text.contains("X-Request-Id: r-1\r\n"))
        #expect(!text.contains("Connection"))
    }

    @Test func `tells about the connection`() {
        #expect(encode(Response(status: 200), .init(closes: true))?.contains("Connection: close\r\n") == true)
        #expect(
            encode(Response(status: 200), .init(isHTTP10: true))?.contains("Connection: keep-alive\r\n")
                == true)
    }

    @Test func `writes the head of a stream without a length, chunked but for HTTP/1.0`() {
        let response = Response.stream(status: 200, headers: [("Content-Length", "9")]) { _ in }
        for (context, isChunked) in [
            (ResponseEncoder.Context(), true), (.init(isHead: true), true),
            (.init(closes: true, isHTTP10: true), false),
        ] {
            var encoder = ResponseEncoder()
            var output: [UInt8] = []
            #expect(encoder.encodeHead(of: response, context, into: &output))
            let head = String(decoding: output, as: UTF8.self)
            #expect(head.hasSuffix("\r\n\r\n"))
            #expect(head.contains("Transfer-Encoding: chunked\r\n") == isChunked)
            #expect(!head.contains("Content-Length"))
        }
    }

    @Test func `writes a stream neither as a whole nor with a status without content`() {
        var response = Response.stream(status: 200) { _ in }
        #expect(encode(response) == nil)
        #expect(encode(response, .init(isHead: true)) != nil)
        response.status = 304
        #expect(encode(response, .init(isHead: true)) == nil)
        response.body = []
        #expect(encode(response) != nil)
    }

    @Test(arguments: [
        (0, ""), (1, "1\r\nx\r\n"), (15, "f\r\nxxxxxxxxxxxxxxx\r\n"), (16, "10\r\nxxxxxxxxxxxxxxxx\r\n"),
    ])
    func `writes chunks with their size in hexadecimal, and none of nothing`(count: Int, expected: String) {
        var output: [UInt8] = []
        ResponseEncoder.appendChunk(Array(repeating: UInt8(ascii: "x"), count: count)[...], into: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test func `writes no field with a byte that could end it`() {
        for byte in UInt8.min...UInt8.max {
            let scalar = String(Character(UnicodeScalar(byte)))
            let isControl = byte < 0x20 && byte != 0x09 || byte == 0x7F
            #expect(
                (encode(Response(status: 200, headers: [("X-A", "a\(scalar)b")])) == nil) == isControl, "value \(byte)")
            let isToken = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".contains(
                scalar)
            #expect((encode(Response(status: 200, headers: [("X\(scalar)", "a")])) != nil) == isToken, "name \(byte)")
        }
        #expect(encode(Response(status: 200, headers: [("X-A", "a\r\nX-B: c")])) == nil)
        #expect(encode(Response(status: 200, headers: [("", "a")])) == nil)
    }

    @Test(arguments: [(199, false), (200, true), (599, true), (600, false), (-1, false)])
    func `writes final statuses only`(status: Int, isWritten: Bool) {
        #expect((encode(Response(status: status)) != nil) == isWritten)
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func `writes dates as IMF-fixdate`(seconds: Int, text: String) {
        #expect(HTTPDate.text(unixSeconds: seconds) == text)
    }
}
