import HTTPServer
import SurfaceKit
import Testing

/// `Accept-Encoding` (RFC 9110 section 12.5.3), from callers who write it as they like.
@Suite struct AcceptedCodingsTests {
    private func best(of codings: [ContentCoding], _ fields: [String]) -> ContentCoding? {
        AcceptedCodings(Headers(fields.map { ("Accept-Encoding", $0) })).best(of: codings)
    }

    private func prefersGzip(_ fields: [String]) -> Bool { best(of: [.gzip], fields) == .gzip }

    @Test(arguments: [
        ("br, gzip", ContentCoding.brotli), ("gzip, br", .brotli), ("gzip", .gzip), ("gzip, br;q=0.9", .gzip),
        ("*", .brotli), ("br;q=0, *", .gzip), ("BR", .brotli), ("br;q=0.5, gzip;q=0.5, identity;q=0.5", .brotli),
        ("deflate", nil), ("", nil), ("br;q=0.4, gzip;q=0.3, identity;q=0.5", nil), ("br;q=0, gzip;q=0", nil),
    ]) func `of two codings the caller's own choice, then the server's`(value: String, coding: ContentCoding?) {
        #expect(best(of: [.brotli, .gzip], [value]) == coding)
    }

    @Test(arguments: [
        "gzip", "GZip", "x-gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1",
        "deflate\t;q=0 ,\tgzip ; Q=0.001",
        "*", "*;q=0.5", "identity;q=0.5, gzip;q=0.5", "gzip;q=1.000", "identity;q=0, gzip;q=0.1", "gzip;q=1.",
        ",,gzip,,",
    ]) func `gzip is sent`(value: String) {
        #expect(prefersGzip([value]))
    }

    @Test(arguments: [
        "", " ", ",", ";", "identity", "br", "deflate, br", "gzip;q=0", "gzip;q=0.000", "gzip;q=0, *", "*;q=0",
        "identity, gzip;q=0.9", "gzipped", "gzi", "gzip;q=2", "gzip;q=1.001", "gzip;q=0.1234", "gzip;q=-1", "gzip;q=.5",
        "gzip;q=", "gzip;q", "gzip;level=9", "gzip;q=1;q=0", "gzip;q=0x1", "gzip q=1", "\u{1F600}", "gz\u{0131}p",
    ]) func `the file is sent as it is`(value: String) {
        #expect(!prefersGzip([value]))
    }

    @Test func `several fields are one list, and none is no wish`() {
        #expect(prefersGzip(["br", "gzip"]) && prefersGzip(["", "gzip"]))
        #expect(!prefersGzip(["gzip", "gzip;q=0"]))
        #expect(!prefersGzip([]))
    }
}
