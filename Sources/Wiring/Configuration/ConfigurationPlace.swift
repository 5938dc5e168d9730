internal import BuiltInFiles
internal import Glibc

/// Where this process finds its configuration, again and again.
package struct ConfigurationPlace: Sendable {
    /// `nil`: as the environment says.
    let path: String?
    let flags: [String: String]

    /// The file and the environment as they are now. Where neither names a file or a mode, the sandbox that is built into the
    /// program runs, with its data in the folder `data`.
    /// - Throws: every mistake.
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

/// A configuration cannot be read, or is wrong; the text names every mistake.
package struct ConfigurationFault: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
