#if !canImport(Security)
    import Foundation

    /// Keys as files that only their owner can read. For platforms without a key store of their own.
    package struct FileVault: KeyVault {
        private static let mostBytes = 64 * 1024

        private let directory: URL

        /// - Parameter directory: made if it is not there, for its owner only.
        package init(directory: URL) {
            self.directory = directory
        }

        package func read(_ name: String) throws -> Data? {
            let descriptor = open(path(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else {
                if errno == ENOENT { return nil }
                throw failure("open")
            }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            return try file.read(upToCount: Self.mostBytes) ?? Data()
        }

        package func put(_ data: Data, name: String, inPlaceOf old: Data?) throws -> Data {
            try locked {
                if let found = try read(name), found != old { return found }
                // First whole and on the disk, then under its name: a kill leaves the old one or the new one.
                let temporary = path("new.\(UUID().uuidString)")
                try write(data, to: temporary)
                guard rename(temporary, path(name)) == 0 else {
                    let failure = failure("rename")
                    unlink(temporary)
                    throw failure
                }
                return data
            }
        }

        package func delete(_ name: String) throws {
            guard unlink(path(name)) == 0 || errno == ENOENT else { throw failure("unlink") }
        }

        package func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path)
        }

        private func path(_ name: String) -> String {
            directory.appendingPathComponent(name).path
        }

        private func write(_ data: Data, to path: String) throws {
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure("open") }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: data)
            guard fsync(descriptor) == 0 else { throw failure("fsync") }
        }

        /// One process at a time.
        private func locked<Value>(_ work: () throws -> Value) throws -> Value {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let descriptor = open(path("lock"), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure("open") }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX) == 0 else { throw failure("flock") }
            return try work()
        }

        private func failure(_ call: String) -> KeyFailure {
            KeyFailure(what: "\(call) of a key file: \(String(cString: strerror(errno)))")
        }
    }
#endif
