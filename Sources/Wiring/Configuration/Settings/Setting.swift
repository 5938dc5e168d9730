internal import StrictJSON

/// One setting: how it is written, the member of `Configuration` that it sets, its default, and what it is for.
///
///     Setting(
///         "limits.auditedCallsPerMinute", \.limits.auditedCallsPerMinute, .integer(0...1_000_000), default: .value(10),
///         "calls a minute of one API client that the audit log keeps; 0: no limit")
///
/// Reading, `check-config`, the warning after a reload and the check of `docs/configuration` walk `Setting.all`.
struct Setting: Sendable {
    /// Writes one member.
    typealias Member<Root, Value> = WritableKeyPath<Root, Value> & Sendable

    /// When a changed value takes effect.
    enum Reload: Sendable {
        case atRestart
        /// At SIGHUP, if the mode stays the same.
        case inSameMode
        /// At SIGHUP.
        case always
    }

    let key: ConfigurationKey
    /// Sets the member to the value of the sources, or to the default. Mistakes are added to the reader.
    let read: @Sendable (inout Configuration, inout ConfigurationReader) -> Void
    /// The value as the file has it, without secrets; `nil`: it is not printed.
    private(set) var printed: @Sendable (Configuration) -> JSONValue?
    private(set) var reload = Reload.atRestart

    init<Value>(
        _ path: String, _ member: any Member<Configuration, Value>, _ form: SettingForm<Value>,
        default standard: SettingDefault<Value>, _ summary: String
    ) {
        self.init(path, form, standard, summary, get: { $0[keyPath: member] }, set: { $0[keyPath: member] = $1 })
    }

    init<Value>(
        _ path: String, _ member: any Member<Configuration, Value?>, _ form: SettingForm<Value>,
        default standard: SettingDefault<Value?> = .unset(), _ summary: String
    ) {
        self.init(path, member, form.optional, default: standard, summary)
    }

    /// A member of a part that may be absent. It is not printed then.
    init<Part, Value>(
        _ path: String, in part: any Member<Configuration, Part?>, _ member: any Member<Part, Value>,
        _ form: SettingForm<Value>, default standard: SettingDefault<Value>, _ summary: String
    ) {
        self.init(
            path, form, standard, summary, get: { $0[keyPath: part]?[keyPath: member] },
            set: { $0[keyPath: part]?[keyPath: member] = $1 })
    }

    init<Part, Value>(
        _ path: String, in part: any Member<Configuration, Part?>, _ member: any Member<Part, Value?>,
        _ form: SettingForm<Value>, default standard: SettingDefault<Value?> = .unset(), _ summary: String
    ) {
        self.init(path, in: part, member, form.optional, default: standard, summary)
    }

    /// An object, which only the file can have.
    /// - Parameters:
    ///   - read: sets members from the object, where there is one.
    ///   - standard: the default in words.
    init(
        _ path: String, read: @escaping @Sendable (inout Configuration, JSONObject, inout ConfigurationReader) -> Void,
        printed: @escaping @Sendable (Configuration) -> JSONObject?, default standard: String = "none",
        _ summary: String
    ) {
        let key = ConfigurationKey(path: path, form: .object, standard: standard, summary: summary)
        self.key = key
        self.read = { configuration, reader in
            if let object = reader.object(key) {
                read(&configuration, object, &reader)
            } else if reader.isSet(key) {
                reader.refuse(key, key.demand)
            }
        }
        self.printed = { printed($0).map { .object($0) } }
    }

    private init<Value>(
        _ path: String, _ form: SettingForm<Value>, _ standard: SettingDefault<Value>, _ summary: String,
        get: @escaping @Sendable (Configuration) -> Value?,
        set: @escaping @Sendable (inout Configuration, Value) -> Void
    ) {
        let key = ConfigurationKey(
            path: path, form: form.form, standard: standard.words(form), summary: summary)
        self.key = key
        read = { configuration, reader in
            let given = reader.isSet(key) ? form.read(key, &reader) : nil
            set(&configuration, given ?? standard.value(configuration))
        }
        printed = { get($0).flatMap(form.print) }
    }

    /// The same, printed only where `condition` holds.
    func printed(if condition: @escaping @Sendable (Configuration) -> Bool) -> Setting {
        var setting = self
        setting.printed = { [printed] in condition($0) ? printed($0) : nil }
        return setting
    }

    /// The same, whose changed value takes effect earlier than at a restart.
    func reloaded(_ reload: Reload) -> Setting {
        var setting = self
        setting.reload = reload
        return setting
    }
}
