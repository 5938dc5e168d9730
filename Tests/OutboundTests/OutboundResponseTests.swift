import Testing

@testable import Outbound

@Suite struct OutboundResponseTests {
    @Test func `finds the first header of a name in any case`() {
        let response = OutboundResponse(
            status: 200, headers: [("X-Other", "0"), ("X-NAME", "1"), ("x-name", "2"), ("x-name-b", "3")])
        #expect(response.header("x-Name") == "1" && response.header("x-nam") == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("20", 20), ("999999999", 999_999_999), ("1000000000", nil), ("", nil), ("-1", nil), ("+1", nil),
            ("1.5", nil), (" 1", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("\u{661}", nil),
        ] as [(String, Int64?)])
    func `is told to wait in seconds only`(value: String, seconds: Int64?) {
        let response = OutboundResponse(status: 429, headers: [("retry-after", value)])
        #expect(response.retryAfter == seconds.map { .seconds($0) })
    }

    @Test func `without the header it is told nothing`() {
        #expect(OutboundResponse(status: 503).retryAfter == nil)
    }
}
