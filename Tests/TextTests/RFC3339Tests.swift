import Testing
import Text

@Suite struct RFC3339Tests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-01-01T10:00:00Z", 1_767_261_600_000),
            ("2026-01-01T12:30:00+02:30", 1_767_261_600_000), ("2026-01-01T03:00:00-07:00", 1_767_261_600_000),
            ("2026-01-01t10:00:00.5z", 1_767_261_600_500), ("2026-01-01 10:00:00.123456789Z", 1_767_261_600_123),
            ("2024-02-29T23:59:60Z", 1_709_251_200_000), ("1969-12-31T23:59:59.999Z", -1),
            ("0000-03-01T00:00:00Z", -62_162_035_200_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] as [(String, Int64)])
    func `reads a moment`(text: String, milliseconds: Int64) {
        #expect(RFC3339.milliseconds(text.utf8) == milliseconds)
    }

    @Test(arguments: [
        "", "2026-01-01", "2026-01-01T10:00:00", "2026-01-01T10:00Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T10:60:00Z", "2026-01-01T10:00:61Z", "2026-01-01T10:00:00.Z", "2026-01-01T10:00:00+24:00",
        "2026-01-01T10:00:00+0200", "2026-01-01T10:00:00Zx", " 2026-01-01T10:00:00Z", "+026-01-01T10:00:00Z",
        "2026-01-01T10:00:00.0000000000000000000000000000000000000000000Z", "٢٠٢٦-01-01T10:00:00Z",
    ])
    func `refuses what is none`(text: String) {
        #expect(RFC3339.milliseconds(text.utf8) == nil)
    }

    @Test func `reads what it writes`() {
        var milliseconds: Int64 = -62_135_596_800_000
        while milliseconds < 253_402_300_000_000 {
            let text = RFC3339.text(milliseconds: milliseconds, showsMilliseconds: true)
            #expect(RFC3339.milliseconds(text.utf8) == milliseconds, "\(text)")
            milliseconds += 86_400_000 * 97 + 12_345_678
        }
    }
}
