internal import BuiltInFiles
internal import StrictJSON
internal import Text

/// The sources of settings: flags override the environment, and the environment overrides the file.
package struct ConfigurationSources: Sendable {
    /// Values of command-line flags, by the path of their setting.
    package var flags: [String: String]
    /// The whole environment of the process.
    package var environment: [String: String]
    /// The path of the file as the user wrote it, and its bytes; `nil`: there is no file.
    package var file: (path: String, text: [UInt8])?

    package init(
        flags: [String: String] = [:], environment: [String: String] = [:], file: (path: String, text: [UInt8])? = nil
    ) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }

    /// The prefix of this program's variables.
    static let prefix = "HOLDFAST_"
    /// The variable that names the file if `--config` does not.
    package static let fileVariable = "HOLDFAST_CONFIG"

    /// The environment variable of a setting: `HOLDFAST_SERVER_PUBLIC_URL` for `server.publicUrl`.
    package static func variable(_ key: ConfigurationKey) -> String {
        var name = Array(prefix.utf8)
        var isAfterLowercase = false
        for byte in key.path.utf8 {
            let isUppercase = (65...90).contains(byte)
            let isLowercase = (97...122).contains(byte)
            if isAfterLowercase && isUppercase { name.append(UInt8(ascii: "_")) }
            name.append(byte == UInt8(ascii: ".") ? UInt8(ascii: "_") : isLowercase ? byte - 32 : byte)
            isAfterLowercase = isLowercase
        }
        return String(decoding: name, as: UTF8.self)
    }

    fileprivate var flagValues: [String: SettingValue] { flags.mapValues { .words($0) } }

    fileprivate var environmentValues: [String: SettingValue] {
        var values: [String: SettingValue] = [:]
        for key in ConfigurationKey.all { values[key.path] = environment[Self.variable(key)].map { .words($0) } }
        return values
    }
}

/// Reads settings and collects all mistakes instead of stopping at the first.
struct ConfigurationReader {
    private struct Source {
        /// Values by the path of their setting.
        let values: [String: SettingValue]
        /// The name of a key in this source, for messages.
        let name: (ConfigurationKey) -> String
        /// The directory of relative paths, with a slash at the end.
        let directory: String
    }

    private var sources: [Source] = []
    private(set) var mistakes: [String] = []
    /// Variables with this program's prefix that are not settings.
    private(set) var foreignVariables: [String] = []
    private let file: ConfigurationFile?

    init(_ sources: ConfigurationSources) {
        let file = sources.file.map { ConfigurationFile($0.text) }
        self.file = file
        self.sources = [
            Source(values: sources.flagValues, name: { "flag for " + $0.path }, directory: ""),
            Source(values: sources.environmentValues, name: ConfigurationSources.variable, directory: ""),
        ]
        if let file, let path = sources.file?.path {
            let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            self.sources.append(Source(values: file.values, name: \.path, directory: directory))
            mistakes += file.mistakes
        }
        noteForeignVariables(sources.environment)
    }

    /// Collects variables that are not settings. They are only reported, because another program may use the prefix
    /// too, as Kubernetes does for a service with this name.
    private mutating func noteForeignVariables(_ environment: [String: String]) {
        let known = Set(ConfigurationKey.all.filter { $0.form != .object }.map(ConfigurationSources.variable))
        for name in environment.keys.sorted()
        where name.hasPrefix(ConfigurationSources.prefix) && !known.contains(name)
            && name != ConfigurationSources.fileVariable
        {
            foreignVariables.append("\(name): no such setting, it is not used" + NearName.hint(name, among: known))
        }
    }

    var hasFile: Bool { file != nil }

    /// The effective mode; `nil`: not set, or not a mode.
    var mode: Configuration.Mode? { find(.mode)?.0.text.flatMap(Configuration.Mode.init) }

    /// Whether there is a file that is not a JSON object.
    var isFileBroken: Bool { file?.isBroken ?? false }

    mutating func refuse(_ key: ConfigurationKey, _ reason: String) {
        mistakes.append("\(key.path): \(reason)")
    }

    mutating func refuse(at path: String, _ reason: String) {
        mistakes.append("\(path): \(reason)")
    }

    /// Refuses an unknown member of the object at `path`.
    mutating func refuseUnknown(_ name: String, under path: String, known: [String]) {
        refuse(at: "\(path).\(name)", "no such setting" + NearName.hint(name, among: known))
    }

    /// Whether any source has the key, whatever its value.
    func isSet(_ key: ConfigurationKey) -> Bool {
        if file?.objects[key.path] != nil { return true }
        return sources.contains { $0.values[key.path] != nil }
    }

    // MARK: Typed values; `nil`: not set, or after a mistake

    mutating func text(_ key: ConfigurationKey) -> String? {
        guard let (value, source) = find(key) else { return nil }
        guard let text = value.text, !text.utf8.contains(0) else { return wrong(key, source) }
        // An empty list means no entries. Any other empty text is a mistake.
        guard !text.isEmpty else { return key.form == .list ? nil : wrong(key, source) }
        if case .choice(let names) = key.form, !names.contains(text) { return wrong(key, source) }
        guard key.form == .path, !text.hasPrefix("/"), BuiltInPath(text) == nil else { return text }
        return source.directory + text
    }

    mutating func integer(_ key: ConfigurationKey) -> Int? {
        guard let (value, source) = find(key) else { return nil }
        guard let integer = value.integer, case .integer(let range) = key.form, range.contains(integer) else {
            return wrong(key, source)
        }
        return integer
    }

    mutating func flag(_ key: ConfigurationKey) -> Bool? {
        guard let (value, source) = find(key) else { return nil }
        return value.flag ?? wrong(key, source)
    }

    func object(_ key: ConfigurationKey) -> JSONObject? {
        file?.objects[key.path]
    }

    /// The effective value, with its source.
    private func find(_ key: ConfigurationKey) -> (SettingValue, Source)? {
        for source in sources {
            if let value = source.values[key.path] { return (value, source) }
        }
        return nil
    }

    private mutating func wrong<Value>(_ key: ConfigurationKey, _ source: Source) -> Value? {
        mistakes.append("\(source.name(key)): \(key.demand)")
        return nil
    }
}
