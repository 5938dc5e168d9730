internal import Glibc
internal import Administration
internal import Outbound
internal import PhoneNumbers
internal import Tokens

extension MessagingFile {
    /// Reads the file of `messaging.routesFile`, and the presets and secrets that it names.
    ///
    /// - Throws: `.configuration` with every mistake in it.
    static func load(_ path: String, presets: String) throws(StartFault) -> MessagingFile {
        guard let bytes = SmallFile.read(path) else {
            throw .configuration("messaging.routesFile: \(path) \(SystemReason.text)")
        }
        let sources = Sources(
            preset: { (name) throws(Unreadable) in
                let file = "\(presets)/\(name).json"
                guard let bytes = SmallFile.read(file) else {
                    throw Unreadable(reason: "\(file) \(SystemReason.text)")
                }
                return ConfigurationFile.withoutComments(bytes)
            },
            secret: { (path) throws(Unreadable) in
                do throws(KeyFileFault) { return try SharedSecret.foreign(path) } catch {
                    throw Unreadable(reason: error.reason)
                }
            },
            isCountry: { NumberingPlan.isRegion($0) })
        do throws(Mistakes) {
            return try MessagingFile(ConfigurationFile.withoutComments(bytes), sources)
        } catch {
            throw .configuration(
                "messaging.routesFile: \(path)" + error.all.map { "\n    \($0)" }.joined())
        }
    }
}

/// The reason why the last system call failed, worded to follow a path.
private enum SystemReason {
    static var text: String { "cannot be read: " + String(cString: strerror(errno)) }
}
