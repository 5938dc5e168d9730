import Glibc
import Testing

@testable import HTTPServer
@testable import Wiring

/// The variables of socket activation (sd_listen_fds(3)).
@Suite struct HandedSocketsTests {
    private static let process: Int32 = 4711

    /// Listening sockets with numbers that follow each other; the first.
    private func sockets(_ count: Int32, at first: Int32) throws {
        for index in 0..<count {
            let listening = try #require(
                try Socket.listen(on: .tcp(host: "127.0.0.1", port: 0), limits: Limits()).first)
            #expect(dup2(listening.descriptor, first + index) == first + index)
            close(listening.descriptor)
        }
    }

    private func handed(_ variables: [String: String], first: Int32 = 900) throws(StartFault) -> HandedSockets {
        let all = variables.merging(["LISTEN_PID": "4711"]) { given, _ in given }
        return try HandedSockets(process: Self.process, first: first) { all[$0] }
    }

    @Test func `takes listening sockets by their names`() throws {
        try sockets(3, at: 700)
        defer { for index in 0..<3 as Range<Int32> { close(700 + index) } }
        let named = try handed(["LISTEN_FDS": "3", "LISTEN_FDNAMES": "public:operations:public"], first: 700)
        #expect(named.publicOnes.map(\.descriptor) == [700, 702])
        #expect(named.operations.map(\.descriptor) == [701])
        let unnamed = try handed(["LISTEN_FDS": "2"], first: 700)
        #expect(unnamed.publicOnes.map(\.descriptor) == [700, 701])
        #expect(unnamed.operations.isEmpty)
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
        try sockets(1, at: 710)
        defer { close(710) }
        let fault = #expect(throws: StartFault.self) {
            try handed(["LISTEN_FDS": "1", "LISTEN_FDNAMES": "holdfast.socket"], first: 710)
        }
        #expect(fault?.description.contains("public or operations") == true)
    }

    @Test func `a socket for operators needs a listener for them`() async throws {
        try sockets(1, at: 720)
        defer { close(720) }
        let configuration = try ServerFixture.configuration(ServerFixture.freshDirectory())
        let handed = try handed(["LISTEN_FDS": "1", "LISTEN_FDNAMES": "operations"], first: 720)
        let pipe = LogTests.Pipe()
        await #expect(throws: StartFault.self) {
            try await Assembly(
                configuration, sink: LogSink(descriptor: pipe.write), handed: handed, onFatal: { _ in })
        }
        _ = pipe.contents()
    }
}
