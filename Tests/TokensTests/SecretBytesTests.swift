import Testing

@testable import Tokens

@Suite struct SecretBytesTests {
    @Test func `an array that a secret passed through is overwritten where it lies`() {
        var bytes: [UInt8] = [1, 2, 3, 4]
        bytes.wipe()
        #expect(bytes == [0, 0, 0, 0])
        var none: [UInt8] = []
        none.wipe()
        #expect(none.isEmpty)
    }

    @Test func `says nothing of itself`() {
        let secret = SecretBytes([115, 101, 99, 114, 101, 116])
        #expect("\(secret)" == "<redacted>" && String(reflecting: secret).contains("redacted"))
        var text = ""
        dump(secret, to: &text)
        #expect(!text.contains("115"))
        #expect(secret.count == 6)
    }
}
