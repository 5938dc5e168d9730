import Possession
import Testing
@testable import TwilioVerifySurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Names in the vendor's form.
@Suite struct SIDTests {
    private static let digits = "0123456789abcdef0123456789abcdef"

    @Test func `has two letters and 32 digits, in either case`() {
        for digits in [Self.digits, "0123456789ABCDEF0123456789abcdef"] {
            #expect(SID("VE" + digits, of: .verification)?.text == "VE" + Self.digits)
        }
        let id = CorrelationID("019b7907-8d58-7500-8000-000000000001")!
        #expect(SID(.verification, id.bytes).text == "VE019b79078d5875008000000000000001")
        #expect(CorrelationID(bytes: SID("VE019b79078d5875008000000000000001", of: .verification)!.bytes) == id)
    }

    @Test(arguments: [
        "", "VE", "ve0123456789abcdef0123456789abcdef", "VA0123456789abcdef0123456789abcdef",
        "VE0123456789abcdef0123456789abcde", "VE0123456789abcdef0123456789abcdef0",
        "VE0123456789abcdef0123456789abcdeg",
        "VE0123456789abcdef0123456789abcd\u{301}",
    ]) func `is nothing else`(text: String) {
        #expect(SID(text, of: .verification) == nil)
    }

    @Test func `an account and its service follow from the client's id`() {
        let sha256: ([UInt8]) -> [UInt8] = { World.digest($0) }
        let one = AccountSIDs(of: ClientID("shop")!, sha256: sha256)
        #expect(one == AccountSIDs(of: ClientID("shop")!, sha256: sha256))
        let other = AccountSIDs(of: ClientID("shop-2")!, sha256: sha256)
        #expect(one.account != other.account && one.service != other.service)
        #expect(one.account.bytes != one.service.bytes)
        let kept = AccountSIDs(of: ClientID("AC" + Self.digits)!, sha256: sha256)
        #expect(kept.account.text == "AC" + Self.digits)
    }
}
