import Testing

@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit

@Suite struct SandboxHostsTests {
    private let hosts = SandboxHosts(urls: ["https://dev.example.com:8443", "http://127.0.0.1:8080"])

    @Test(arguments: [
        nil, "127.0.0.1:8080", "192.168.1.7", "[::1]:8080", "localhost", "localhost:8080", "holdfast:8080",
        "a.localhost", "host.docker.internal:8080", "holdfast.test", "dev.example.com", "dev.example.com:1",
    ])
    func `takes names that nobody can register, and the public one`(host: String?) {
        #expect(hosts.accept(host))
    }

    @Test(arguments: [
        "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example",
        "dev.example.com.evil.example",
        "xlocalhost.example", "evil.example.", "1.2.3", "e\u{301}vil.example",
    ])
    func `refuses names that a web page can point to this machine`(host: String) {
        #expect(!hosts.accept(host))
    }
}
