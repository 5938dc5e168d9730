internal import ArgumentParser
internal import Glibc

extension ConfigurationOptions {
    /// Reads the configuration of this process.
    ///
    /// - Throws: exit 78 after every mistake was printed.
    func read(flags: [String: String] = [:]) throws -> Configuration {
        do { return try place(flags: flags).read() } catch {
            printError(error.description)
            throw configurationExitCode
        }
    }

    func place(flags: [String: String] = [:]) -> ConfigurationPlace {
        var flags = flags
        if let data { flags["data.directory"] = data }
        return ConfigurationPlace(path: config, flags: flags)
    }
}

/// Where this process finds its configuration, again and again.
package struct ConfigurationPlace: Sendable {
    /// `nil`: as the environment says.
    let path: String?
    let flags: [String: String]

    /// The file and the environment as they are now.
    /// - Throws: every mistake.
    func read() throws(ConfigurationFault) -> Configuration {
        let environment = ProcessEnvironment.all
        var sources = ConfigurationSources(flags: flags, environment: environment)
        if let path = path ?? environment[ConfigurationSources.fileVariable] {
            guard let text = SmallFile.read(path) else {
                let reason = String(cString: strerror(errno))
                throw ConfigurationFault("configuration: \(path) cannot be read: \(reason)")
            }
            sources.file = (path, text)
        }
        do { return try Configuration(sources) } catch { throw ConfigurationFault(error.description) }
    }
}

/// A configuration cannot be read, or is wrong; the text names every mistake.
package struct ConfigurationFault: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

extension ConfigurationOptions {
    /// The same, and what the configuration names outside itself is looked at.
    ///
    /// - Returns: the configuration, and what will not keep the server from starting but needs the operator.
    /// - Throws: exit 78 after every mistake was printed.
    func readChecked(flags: [String: String] = [:]) throws -> (configuration: Configuration, warnings: [String]) {
        let configuration = try read(flags: flags)
        let checks = StartChecks(configuration)
        guard checks.mistakes.isEmpty else {
            printError(ConfigurationError(mistakes: checks.mistakes).description)
            throw configurationExitCode
        }
        return (configuration, checks.warnings)
    }
}

/// One line to the error output, past any log.
func printError(_ text: String) {
    StandardStream.write(text + "\n", to: 2)
}

/// Whole texts to the process's own streams, without the C library's buffers.
enum StandardStream {
    /// What a pipe takes without waiting, once it takes anything (POSIX's least `PIPE_BUF` on Linux).
    private static let pieceBytes = 4096
    /// How long a stream that nobody reads may hold the process up, in milliseconds.
    private static let patience: Int32 = 1000

    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            var stream = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let ready = poll(&stream, 1, patience)
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { return }
            let count = rest.prefix(pieceBytes).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR || errno == EAGAIN else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

enum ProcessEnvironment {
    static var all: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return variables
    }
}

/// Files that are read whole at start.
enum SmallFile {
    private static let maxBytes = 16 * 1024 * 1024

    /// `nil` when it cannot be read, with `errno` set.
    static func read(_ path: String) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while all.count < maxBytes {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0 { return nil }
            if count == 0 { return all }
            all += buffer.prefix(count)
        }
        errno = EFBIG
        return nil
    }
}
