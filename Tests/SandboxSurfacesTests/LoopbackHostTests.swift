import Testing

@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit

@Suite struct LoopbackHostTests {
    @Test(arguments: [
        ("http://127.0.0.1", true), ("http://127.0.0.1:1", true), ("https://localhost:65535", true),
        ("http://[::1]:8080", true), ("http://[::1]", true), ("http://127.0.0.1:99999x", false),
        ("http://127.0.0.1:65536", false), ("http://127.0.0.1:0", false), ("http://127.0.0.1:", false),
        ("http://127.0.0.1:080000", false), ("http://localhost.evil.example", false), ("http://localhostx", false),
        ("http://127.0.0.1.evil.example", false), ("http://[::1]x", false), ("http://[::1", false),
        ("http://tauri.localhost", true), ("http://a.b-c.localhost:65535", true), ("http://.localhost", false),
        ("http://a..localhost", false), ("http://a_b.localhost", true), ("http://a b.localhost", false),
        ("http://a.localhost:0", false),
        ("http://xlocalhost", false), ("http://a.localhost.evil.example", false), ("http://[::1]:", false),
        ("http://[::1]:80:80", false), ("http://[::2]", false),
        ("ftp://localhost", false),
        ("http://", false), ("localhost", false), ("http://localhost/", false), ("http://LOCALHOST", false),
    ])
    func `knows an origin on this machine by host and port`(origin: String, isOne: Bool) {
        #expect(LoopbackHost.isOne(origin: origin) == isOne)
    }
}
