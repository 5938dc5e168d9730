internal import Administration
internal import Sandbox
internal import Glibc

extension SandboxUsersFile {
    /// Reads the file of `sandbox.usersFile`.
    ///
    /// - Throws: `.configuration` with every mistake of the file.
    static func load(_ path: String) throws(StartFault) -> SandboxUsersFile {
        guard let bytes = SmallFile.read(path) else {
            throw .configuration("sandbox.usersFile: \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        do { return try SandboxUsersFile(bytes) } catch {
            throw .configuration(
                "sandbox.usersFile: \(path):\n" + error.all.map { "    \($0)" }.joined(separator: "\n"))
        }
    }
}
