import Glibc
import Testing

@testable import HTTPServer

/// Sockets that outlive the server (OPS-02).
@Suite struct InheritedSocketTests {
    /// Two descriptors of one listening socket: what a service manager keeps, and what it hands over.
    private func kept() throws -> (kept: Int32, handed: Int32) {
        let listening = try #require(
            try Socket.listen(on: .tcp(host: "127.0.0.1", port: 0), limits: Fixture.limits).first)
        return (listening.descriptor, dup(listening.descriptor))
    }

    @Test func `is what it is bound to, and is not passed on`() throws {
        let (kept, handed) = try kept()
        defer { close(kept) }
        let socket = try InheritedSocket(descriptor: handed)
        #expect(socket.address == Socket.boundAddress(of: kept))
        #expect(socket.address.port ?? 0 > 0)
        #expect(fcntl(handed, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(handed, F_GETFL) & O_NONBLOCK != 0)
        close(handed)
    }

    @Test func `leaves who waits to the next server`() async throws {
        let (kept, handed) = try kept()
        defer { close(kept) }
        let first = try server()
        let address = try #require(try first.start(on: [.inherited(InheritedSocket(descriptor: handed))]).first)
        #expect(try TestClient(address).exchange(Fixture.get("/hello"))?.status == 200)
        await first.drain(within: .zero)
        // Nobody serves, and nobody is refused.
        let waiting = try TestClient(address)
        try waiting.send(Fixture.get("/hello"))
        await first.stop()
        let second = try server()
        _ = try second.start(on: [.inherited(InheritedSocket(descriptor: dup(kept)))])
        #expect(try waiting.receive()?.status == 200)
        await second.stop()
    }

    private func server() throws -> Server {
        try Server(
            limits: Fixture.limits, loops: 1, router: Router([Route(.get, "/hello") { _ in Fixture.text("hello") }]),
            failureResponse: Fixture.failure, observe: { _ in })
    }

    @Test(arguments: ["closed", "file", "datagrams", "not listening", "local"])
    func `is nothing else than a listening TCP socket`(kind: String) throws {
        var descriptor: Int32
        switch kind {
        case "file": descriptor = open("/dev/null", O_RDONLY)
        case "datagrams": descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        case "not listening": descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        case "local":
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            // An abstract name that the system chooses.
            withUnsafePointer(to: &address) {
                _ = bind(descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), 2)
            }
            listen(descriptor, 1)
        default: descriptor = -1
        }
        #expect(throws: SocketError.self) { try InheritedSocket(descriptor: descriptor) }
        if descriptor >= 0 { close(descriptor) }
    }
}
