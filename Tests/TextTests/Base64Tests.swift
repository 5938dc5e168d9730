import Testing
import Text

@Suite struct Base64Tests {
    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `writes and reads the standard's vectors`(plain: String, text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(Base64.decode(text.utf8) == Array(plain.utf8))
    }

    @Test func `reads every byte back`() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
    }

    /// Each value has one form: a code that is compared has no twin.
    @Test(arguments: ["Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "=Zg=", "Z===", "====", "Zm9v ", "Zm 9v", "Zm-_"])
    func `refuses any other form`(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
