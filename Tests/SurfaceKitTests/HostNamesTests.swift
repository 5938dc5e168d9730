import Testing

@testable import SurfaceKit

@Suite struct HostNamesTests {
    private let names = HostNames(
        urls: ["https://dev.example.com:8443", "http://127.0.0.1:8080"], names: ["holdfast", "host.docker.internal"])

    @Test(arguments: [
        "127.0.0.1:8080", "192.168.1.7", "[::1]:8080", "localhost", "localhost:8080", "holdfast:8080",
        "a.localhost", "host.docker.internal:8080", "dev.example.com", "dev.example.com:1",
    ])
    func `takes names that no page can have, the public one, and those of the operator`(host: String) {
        #expect(names.contains(host))
    }

    @Test(arguments: [
        "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example",
        "dev.example.com.evil.example", "xlocalhost", "router", "holdfast.test", "a.internal", ".example", "",
        "xlocalhost.example", "evil.example.", "1.2.3", "e\u{301}vil.example",
    ])
    func `refuses names that a web page can point to this machine`(host: String) {
        #expect(!names.contains(host))
    }
}
