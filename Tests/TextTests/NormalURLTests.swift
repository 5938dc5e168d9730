import Testing
import Text

/// RFC 3986 sections 6.2.2 and 6.2.3.
@Suite struct NormalURLTests {
    @Test(arguments: [
        ("HTTP://www.EXAMPLE.com/", "http://www.example.com"), ("https://a.example:443/x", "https://a.example/x"),
        ("http://a.example:80", "http://a.example/"), ("https://a.example:/x", "https://a.example/x"),
        ("https://a.example/%7Esmith/%3f", "https://a.example/~smith/%3F"),
        ("https://a.example/a/./b/../c", "https://a.example/a/c"), ("https://a.example/..", "https://a.example/"),
        ("https://a.example/%2E%2e/x", "https://a.example/x"), ("https://a.example/x/.", "https://a.example/x/"),
        ("https://[::1]:443/x", "https://[::1]/x"), ("https://a.example/x?y=1#z", "https://a.example/x"),
        ("capacitor://LocalHost", "capacitor://localhost/"),
    ])
    func `two spellings of one place`(left: String, right: String) throws {
        #expect(try #require(NormalURL(left)) == #require(NormalURL(right)))
    }

    @Test(arguments: [
        ("https://a.example/x", "https://a.example/x/"), ("https://a.example/x", "http://a.example/x"),
        ("https://a.example/x", "https://a.example/X"), ("https://a.example:80/", "https://a.example/"),
        ("https://a.example/a%2Fb", "https://a.example/a/b"), ("https://[::1]/", "https://[::2]/"),
        ("https://a.example//x", "https://a.example/x"), ("https://user@a.example/", "https://a.example/"),
    ])
    func `two places`(left: String, right: String) throws {
        #expect(try #require(NormalURL(left)) != #require(NormalURL(right)))
    }

    @Test(arguments: [
        "", "/x", "a.example/x", "https:", "https://", "https:///x", "https://a/%", "https://a/%4", "://a",
    ])
    func `is none`(text: String) {
        #expect(NormalURL(text) == nil)
    }
}
