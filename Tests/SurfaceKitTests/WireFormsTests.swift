import Possession
import Testing

@Suite struct WireFormsTests {
    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00Z"), (1_767_261_600, "2026-01-01T10:00:00Z"),
        (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
    ]) func `writes a moment in UTC`(seconds: Int64, text: String) {
        #expect(Timestamp(seconds: seconds).rfc3339 == text)
        #expect(Timestamp(milliseconds: seconds * 1000 + 999).rfc3339 == text)
    }
}
