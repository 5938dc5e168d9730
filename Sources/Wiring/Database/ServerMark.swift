internal import Administration
internal import Glibc
internal import Possession
internal import PostgresStorage

/// The file `server` in the data directory: the server of PostgreSQL that used the directory last. The lock of the directory
/// says that it has ended, so the next start removes its row, and need not wait until other servers find it silent.
///
///     17 1764500000000
enum ServerMark {
    static func path(in directory: String) -> String { directory + "/server" }

    /// `nil`: there is none, or it cannot be read. The server is removed later then.
    static func read(in directory: String) -> ServerID? {
        guard let content = SmallFile.read(path(in: directory)) else { return nil }
        let numbers = content.split(separator: UInt8(ascii: " ")).map { Int64(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 2, let number = numbers[0], let startedAt = numbers[1] else { return nil }
        return ServerID(number: number, startedAt: Timestamp(milliseconds: startedAt))
    }

    static func write(_ server: ServerID, in directory: String) throws(StartFault) {
        try SmallFile.write(
            Array("\(server.number) \(server.startedAt.milliseconds)".utf8), to: path(in: directory))
    }
}
