import Glibc
import Testing

@testable import Administration
@testable import HTTPServer
@testable import Observation
@testable import Wiring

/// The variables of socket activation (sd_listen_fds(3)).
@Suite struct InheritedSocketsTests {
    private static let process: Int32 = 4711

    /// Closes what it holds at its end.
    private final class Sockets {
        private(set) var descriptors: [Int32] = []

        var first: Int32 { descriptors[0] }

        /// Listening sockets whose numbers follow each other, on numbers that nobody else in this process has.
        init(_ count: Int) throws {
            while descriptors.count < count {
                let listening = try #require(
                    try Socket.listen(on: .tcp(host: "127.0.0.1", port: 0), limits: Limits()).first)
                let free = fcntl(listening.descriptor, F_DUPFD_CLOEXEC, descriptors.last.map { $0 + 1 } ?? 600)
                close(listening.descriptor)
                try #require(free >= 0)
                if let last = descriptors.last, free != last + 1 {
                    for descriptor in descriptors { close(descriptor) }
                    descriptors = []
                }
                descriptors.append(free)
            }
        }

        deinit {
            for descriptor in descriptors { close(descriptor) }
        }
    }

    /// - Parameter first: by default a number that no descriptor has.
    private func handed(_ variables: [String: String], first: Int32 = .max - 100) throws(StartFault) -> InheritedSockets
    {
        let all = variables.merging(["LISTEN_PID": "4711"]) { given, _ in given }
        return try InheritedSockets(process: Self.process, first: first) { all[$0] }
    }

    @Test func `takes listening sockets by their names`() throws {
        let sockets = try Sockets(3)
        let first = sockets.first
        let named = try handed(["LISTEN_FDS": "3", "LISTEN_FDNAMES": "public:operations:public"], first: first)
        #expect(named.publicOnes.map(\.descriptor) == [first, first + 2])
        #expect(named.operations.map(\.descriptor) == [first + 1])
        let unnamed = try handed(["LISTEN_FDS": "2"], first: first)
        #expect(unnamed.publicOnes.map(\.descriptor) == [first, first + 1])
        #expect(unnamed.operations.isEmpty)
        withExtendedLifetime(sockets) {}
    }

    @Test(arguments: [["LISTEN_PID": "4712"], ["LISTEN_PID": ""], ["LISTEN_PID": "x"]])
    func `leaves alone what is meant for another process`(pid: [String: String]) throws {
        let found = try handed(["LISTEN_FDS": "1"].merging(pid) { given, _ in given })
        #expect(found.publicOnes.isEmpty && found.operations.isEmpty)
        #expect(try handed([:]).publicOnes.isEmpty)
    }

    @Test(arguments: [
        ["LISTEN_FDS": "0"], ["LISTEN_FDS": "17"], ["LISTEN_FDS": "-1"], ["LISTEN_FDS": "x"], ["LISTEN_FDS": "1"],
        ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "public:operations"],
    ])
    func `stops the start for what is wrong`(variables: [String: String]) {
        #expect(throws: StartFault.self) { try handed(variables) }
    }

    @Test func `knows two names, and says so`() throws {
        let sockets = try Sockets(1)
        let fault = #expect(throws: StartFault.self) {
            try handed(["LISTEN_FDS": "1", "LISTEN_FDNAMES": "holdfast.socket"], first: sockets.first)
        }
        #expect(fault?.description.contains("public or operations") == true)
        withExtendedLifetime(sockets) {}
    }

    @Test func `a socket for operators needs a listener for them`() async throws {
        let sockets = try Sockets(1)
        let configuration = try ServerFixture.configuration(ServerFixture.freshDirectory())
        let handed = try handed(["LISTEN_FDS": "1", "LISTEN_FDNAMES": "operations"], first: sockets.first)
        let pipe = LogTests.Pipe()
        await #expect(throws: StartFault.self) {
            try await Assembly(
                configuration, sink: LogSink(descriptor: pipe.write), handed: handed, onFatal: { _ in })
        }
        _ = pipe.contents()
        withExtendedLifetime(sockets) {}
    }
}
