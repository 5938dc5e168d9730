internal import Administration
internal import Glibc
internal import HTTPServer
internal import Text

/// Listening sockets that a service manager has opened and passes to this process (sd_listen_fds(3)). They stay open
/// between two processes, so a restart refuses no connection (OPS-02).
///
///     LISTEN_PID=4711  LISTEN_FDS=2  LISTEN_FDNAMES=public:operations     descriptors 3 and 4
///
/// Without names all sockets are public.
package struct InheritedSockets: Sendable {
    var publicOnes: [InheritedSocket] = []
    var operations: [InheritedSocket] = []

    /// The first descriptor that is passed.
    private static let first: Int32 = 3
    /// More than enough: each of two listeners has a few addresses.
    private static let most = 16

    /// No sockets: the server opens its own.
    package init() {}

    /// - Parameters:
    ///   - process: this process. Sockets for another process are ignored.
    ///   - variable: reads a variable of the environment.
    /// - Throws: `.configuration`: the variables are wrong, or a descriptor is not a listening TCP socket.
    init(
        process: Int32, first: Int32 = InheritedSockets.first, variable: (String) -> String?
    ) throws(StartFault) {
        guard let pid = variable("LISTEN_PID").flatMap({ Int32($0) }), pid == process,
            let countText = variable("LISTEN_FDS")
        else { return }
        guard let count = Int32(countText), (1...Int32(Self.most)).contains(count) else {
            throw .configuration("LISTEN_FDS must be a number from 1 to \(Self.most)")
        }
        let names = variable("LISTEN_FDNAMES").map { text in
            text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Array($0) }
        }
        guard names == nil || names?.count == Int(count) else {
            throw .configuration("LISTEN_FDNAMES must have a name for each of the \(count) sockets of LISTEN_FDS")
        }
        for index in 0..<Int(count) {
            let socket: InheritedSocket
            do throws(SocketError) { socket = try InheritedSocket(descriptor: first + Int32(index)) } catch {
                throw .configuration("LISTEN_FDS: \(error)")
            }
            switch names?[index] {
            case nil, Array("public".utf8): publicOnes.append(socket)
            case Array("operations".utf8): operations.append(socket)
            default:
                throw .configuration("LISTEN_FDNAMES: a socket is named public or operations (FileDescriptorName=)")
            }
        }
    }

    /// Takes the sockets for this process and removes the variables, so that no child process takes the same sockets.
    static func take() throws(StartFault) -> InheritedSockets {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
        return try InheritedSockets(process: getpid()) { name in getenv(name).map { String(cString: $0) } }
    }
}
