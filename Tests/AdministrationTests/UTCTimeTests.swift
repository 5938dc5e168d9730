import Possession
import Testing

@testable import Administration

@Suite struct UTCTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"), (1_795_249_123, "2026-11-21T08:18:43Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"), (-1, "1969-12-31T23:59:59Z"),
    ])
    func `writes times as RFC 3339`(seconds: Int64, expected: String) {
        #expect(UTCTime.text(Timestamp(seconds: seconds)) == expected)
    }
}
