import Testing

@testable import Text

@Suite struct TokenByteTests {
    @Test func `takes the characters of RFC 9110 section 5.6.2 and no other byte`() {
        let characters = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let taken = (UInt8.min...UInt8.max).filter { $0.isTokenByte }
        #expect(taken == characters.utf8.sorted())
    }
}
