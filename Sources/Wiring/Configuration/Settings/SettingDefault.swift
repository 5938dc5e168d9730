/// The default value of a setting.
struct SettingDefault<Value: Sendable>: Sendable {
    /// The value. It may depend on settings that were read before.
    let value: @Sendable (Configuration) -> Value
    /// The value in words.
    let words: @Sendable (SettingForm<Value>) -> String

    /// - Parameter words: the value in words; `nil`: derived from the value.
    static func value(_ value: Value, _ words: String? = nil) -> Self {
        Self(value: { _ in value }, words: { words ?? $0.words(value) })
    }

    static func byMode(live: Value, sandbox: Value) -> Self {
        Self(
            value: { $0.mode == .live ? live : sandbox },
            words: { "\($0.words(live)) in live, \($0.words(sandbox)) in sandbox" })
    }

    /// The same, with the words for sandbox first.
    static func byMode(sandbox: Value, live: Value) -> Self {
        Self(
            value: { $0.mode == .live ? live : sandbox },
            words: { "\($0.words(sandbox)) in sandbox, \($0.words(live)) in live" })
    }

    /// A value that depends on other settings.
    static func following(_ words: String, _ value: @escaping @Sendable (Configuration) -> Value) -> Self {
        Self(value: value, words: { _ in words })
    }
}

extension SettingDefault where Value: ExpressibleByNilLiteral {
    static func unset(_ words: String = "none") -> Self { .value(nil, words) }
}
