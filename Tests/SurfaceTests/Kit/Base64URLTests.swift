@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
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

    /// RFC 4648 section 10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ]) func `writes base64url`(plain: String, text: String) {
        #expect(base64URL(Array(plain.utf8)) == text)
        #expect(base64URL([0xFB, 0xFF, 0xFE]) == "-__-")
    }
}
