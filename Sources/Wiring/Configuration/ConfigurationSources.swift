internal import Configuration
internal import StrictJSON

/// Where settings come from: flags, over the environment, over one file.
package struct ConfigurationSources: Sendable {
    /// Values of command-line flags, by the path of their setting.
    package var flags: [String: String]
    /// The whole environment of the process.
    package var environment: [String: String]
    /// Path of the file as the user wrote it, and its bytes; `nil`: no file.
    package var file: (path: String, text: [UInt8])?

    package init(
        flags: [String: String] = [:], environment: [String: String] = [:], file: (path: String, text: [UInt8])? = nil
    ) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }

    /// All variables that begin so are ours.
    static let prefix = "HOLDFAST_"
    /// Names the file where `--config` does not.
    package static let fileVariable = "HOLDFAST_CONFIG"

    /// What the environment calls a setting.
    package static func variable(_ key: ConfigurationKey) -> String {
        // The library tells how it spells a key; with no values at all the look-up cannot fail.
        let spelled = try? EnvironmentVariablesProvider(environmentVariables: [:])
            .value(forKey: absolute(key).prepending("holdfast"), type: .string)
        return spelled?.encodedKey ?? prefix
    }

    /// Flags typed as their settings are; a number that is none stays text, and is refused as any other would be.
    fileprivate var flagValues: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for key in ConfigurationKey.all {
            guard let text = flags[key.path] else { continue }
            var content = ConfigContent.string(text)
            if case .integer = key.form, let integer = Int(text) { content = .int(integer) }
            values[ConfigurationSources.absolute(key)] = ConfigValue(content, isSecret: false)
        }
        return values
    }

    static func absolute(_ key: ConfigurationKey) -> AbsoluteConfigKey {
        AbsoluteConfigKey(key.path.split(separator: ".").map(String.init))
    }
}

/// Looks settings up and collects every mistake instead of stopping at the first.
struct ConfigurationReader {
    private struct Source {
        let provider: any ConfigProvider
        /// How a message calls the key there.
        let name: (ConfigurationKey) -> String
        /// Directory that relative paths count from, with its slash.
        let directory: String
    }

    private var sources: [Source] = []
    private(set) var mistakes: [String] = []
    private let file: ConfigurationFile?

    init(_ sources: ConfigurationSources) {
        let file = sources.file.map { ConfigurationFile($0.text) }
        self.file = file
        self.sources = [
            Source(
                provider: InMemoryProvider(name: "flags", values: sources.flagValues),
                name: { "flag for " + $0.path }, directory: ""),
            Source(
                provider: EnvironmentVariablesProvider(environmentVariables: sources.environment)
                    .prefixKeys(with: "holdfast"),
                name: ConfigurationSources.variable, directory: ""),
        ]
        if let file, let path = sources.file?.path {
            let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            self.sources.append(
                Source(
                    provider: InMemoryProvider(name: "file", values: file.values), name: \.path, directory: directory))
            mistakes += file.mistakes
        }
        refuseUnknownVariables(sources.environment)
    }

    private mutating func refuseUnknownVariables(_ environment: [String: String]) {
        let known = Set(ConfigurationKey.all.filter { $0.form != .object }.map(ConfigurationSources.variable))
        for name in environment.keys.sorted()
        where name.hasPrefix(ConfigurationSources.prefix) && !known.contains(name)
            && name != ConfigurationSources.fileVariable
        {
            mistakes.append("\(name): no such setting" + NearName.hint(name, among: known))
        }
    }

    /// Whether there is a file that is no JSON object.
    var isFileBroken: Bool { file?.isBroken ?? false }

    mutating func refuse(_ key: ConfigurationKey, _ reason: String) {
        mistakes.append("\(key.path): \(reason)")
    }

    mutating func refuse(at path: String, _ reason: String) {
        mistakes.append("\(path): \(reason)")
    }

    /// Refuses a member that the object at `path` does not take.
    mutating func refuseUnknown(_ name: String, under path: String, known: [String]) {
        refuse(at: "\(path).\(name)", "no such setting" + NearName.hint(name, among: known))
    }

    /// Whether any source has the key, whatever its value.
    func isSet(_ key: ConfigurationKey) -> Bool {
        if file?.objects[key.path] != nil { return true }
        return sources.contains { source in
            do {
                return try source.provider.value(forKey: ConfigurationSources.absolute(key), type: .string).value != nil
            } catch { return true }
        }
    }

    // MARK: Typed values; `nil` when nobody set it, or after a mistake

    mutating func text(_ key: ConfigurationKey) -> String? {
        guard let (content, source) = find(key, .string) else { return nil }
        guard case .string(let text) = content, !text.isEmpty, !text.utf8.contains(0) else {
            return wrong(key, source)
        }
        if case .choice(let names) = key.form, !names.contains(text) { return wrong(key, source) }
        guard key.form == .path, !text.hasPrefix("/") else { return text }
        return source.directory + text
    }

    mutating func integer(_ key: ConfigurationKey) -> Int? {
        guard let (content, source) = find(key, .int) else { return nil }
        guard case .int(let integer) = content, case .integer(let range) = key.form, range.contains(integer) else {
            return wrong(key, source)
        }
        return integer
    }

    mutating func flag(_ key: ConfigurationKey) -> Bool? {
        guard let (content, source) = find(key, .bool) else { return nil }
        guard case .bool(let flag) = content else { return wrong(key, source) }
        return flag
    }

    func object(_ key: ConfigurationKey) -> JSONObject? {
        file?.objects[key.path]
    }

    private mutating func find(_ key: ConfigurationKey, _ type: ConfigType) -> (ConfigContent, Source)? {
        for source in sources {
            do {
                let found = try source.provider.value(forKey: ConfigurationSources.absolute(key), type: type)
                if let value = found.value { return (value.content, source) }
            } catch {
                // The library's own text would repeat the value.
                return wrong(key, source)
            }
        }
        return nil
    }

    private mutating func wrong<Value>(_ key: ConfigurationKey, _ source: Source) -> Value? {
        mistakes.append("\(source.name(key)): \(key.demand)")
        return nil
    }
}
