internal import Text

extension Timestamp {
    /// `2026-01-01T10:15:00Z` (RFC 3339), without fractions of a second. Years outside 0 to 9999 do not occur: the
    /// sandbox clock is bounded.
    package var rfc3339: String { RFC3339.text(milliseconds: milliseconds) }
}
