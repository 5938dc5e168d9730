internal import Administration
internal import Glibc
internal import HTTPServer
internal import Text

/// The listening sockets that a service manager has opened for this process and hands over (sd_listen_fds(3)): they
/// outlive it, so that a restart refuses no connection (OPS-02).
///
///     LISTEN_PID=4711  LISTEN_FDS=2  LISTEN_FDNAMES=public:operations     descriptors 3 and 4
///
/// Without names all of them are public.
package struct HandedSockets: Sendable {
    var publicOnes: [InheritedSocket] = []
    var operations: [InheritedSocket] = []

    /// The first descriptor that is handed over.
    private static let first: Int32 = 3
    /// More than enough: two listeners have a few addresses each.
    private static let most = 16

    /// None: the server opens its own.
    package init() {}

    /// - Parameters:
    ///   - process: this one; sockets for another are none of ours.
    ///   - variable: looks one up in the environment.
    /// - Throws: `.configuration` when the variables are wrong, or name what is no listening TCP socket.
    init(
        process: Int32, first: Int32 = HandedSockets.first, variable: (String) -> String?
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

    /// Those of this process. The variables go, so that no process it starts takes them for its own.
    static func take() throws(StartFault) -> HandedSockets {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
        return try HandedSockets(process: getpid()) { name in getenv(name).map { String(cString: $0) } }
    }
}
