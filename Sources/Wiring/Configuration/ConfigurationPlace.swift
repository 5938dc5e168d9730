internal import BuiltInFiles
internal import Glibc

/// The place of this process's configuration, which can be read repeatedly.
package struct ConfigurationPlace: Sendable {
    /// `nil`: the environment decides.
    let path: String?
    let flags: [String: String]

    /// Reads the current file and environment. If neither names a file or a mode, uses the built-in sandbox, with its
    /// data in the folder `data`.
    ///
    /// - Throws: all mistakes.
    func read(_ environment: [String: String] = ProcessEnvironment.all) throws(ConfigurationFault) -> Configuration {
        var sources = ConfigurationSources(flags: flags, environment: environment)
        var path = path ?? environment[ConfigurationSources.fileVariable]
        if path == nil, environment[ConfigurationSources.variable(.mode)] == nil {
            path = BuiltInPath.sandbox
            let data = ConfigurationKey.dataDirectory
            if environment[ConfigurationSources.variable(data)] == nil, flags[data.path] == nil {
                sources.flags[data.path] = "data"
            }
        }
        if let path {
            guard let text = SmallFile.read(path) else {
                let reason = String(cString: strerror(errno))
                throw ConfigurationFault("configuration: \(path) cannot be read: \(reason)")
            }
            sources.file = (path, text)
        }
        do { return try Configuration(sources) } catch { throw ConfigurationFault(error.description) }
    }
}

/// The configuration cannot be read, or is wrong. The text lists all mistakes.
package struct ConfigurationFault: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
