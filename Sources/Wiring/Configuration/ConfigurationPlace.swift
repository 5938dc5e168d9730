internal import Glibc

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
