import Testing

@testable import HTTPServer

/// Random streams made of sound requests and damage, with a fixed seed (HTTP-35).
@Suite struct MutationTests {
    static let seeds: [String] = [
        Fixture.post("/echo", "{\"a\":1}"), Fixture.get("/hello", "X-A: b\r\nConnection: keep-alive\r\n"),
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=\"y\"\r\nhello\r\n0\r\nT: u\r\n\r\n",
        "GET http://a.example/hello?x=%41 HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "OPTIONS * HTTP/1.0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
    ]
    private static let splices: [String] = [
        "\r", "\n", "\r\n", "\0", " ", "\t", ":", ";", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
        "Host: b\r\n",
        "0\r\n\r\n", "FFFFFFFFFFFFFFFF\r\n", "%", "HTTP/1.1", "\u{FF}", "Connection: close\r\n",
    ]

    static func stream(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) { bytes += Array(seeds.randomElement(using: &random)!.utf8) }
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: Array(splices.randomElement(using: &random)!.utf8), at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &random)))
            default: bytes += bytes[place...].prefix(30)
            }
        }
        return bytes
    }

    @Test func `gives damaged streams the same verdict whole and in pieces`() {
        var random = SeededGenerator(seed: 20_260_701)
        for round in 0..<3000 {
            let bytes = Self.stream(&random)
            let whole = ParsedStream(bytes)
            let size = Int.random(in: 1...9, using: &random)
            #expect(ParsedStream(bytes, pieces: size) == whole, "round \(round)")
        }
    }

    @Test func `survives random bytes`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<1000 {
            let bytes = (0..<512).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(ParsedStream(bytes).messages.isEmpty)
        }
    }

    @Test func `answers damaged streams and stays in step`() async throws {
        try await Fixture.withServer { _, address in
            var random = SeededGenerator(seed: 42)
            for round in 0..<300 {
                let client = try TestClient(address)
                let bytes = Self.stream(&random)
                let expected = ParsedStream(bytes)
                try client.send(bytes)
                client.finishSending()
                var finals: [TestClient.Answer] = []
                while let answer = try client.receive() {
                    if answer.status != 100 { finals.append(answer) }
                }
                // Every request up to one that closes gets one answer, and so does what is wrong or cut after them.
                var wanted = expected.messages.firstIndex { !$0.keepsAlive }.map { $0 + 1 } ?? expected.messages.count
                if wanted == expected.messages.count, expected.messages.last?.keepsAlive ?? true {
                    if expected.failure != nil || !expected.isInStep { wanted += 1 }
                }
                let isClosed = finals.last?.headers["connection"] == "close"
                let isComplete = finals.count == wanted || isClosed && finals.count < wanted
                #expect(isComplete, "round \(round): \(finals.map(\.status)) to \(expected), \(wanted) wanted")
            }
        }
    }
}
