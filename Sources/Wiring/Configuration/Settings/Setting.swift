internal import StrictJSON

/// One setting: its form in the sources, the member of `Configuration` that it sets, its default, and its purpose.
///
///     Setting(
///         "limits.auditedCallsPerMinute", \.limits.auditedCallsPerMinute, .integer(0...1_000_000), default: .value(10),
///         "calls a minute of one API client that the audit log keeps; 0: no limit")
///
/// Reading, `check-config`, the warning after a reload, and the check of `docs/configuration` use `Setting.all`.
struct Setting: Sendable {
    /// The path to one member.
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
    /// Sets the member to the value from the sources, or to the default. The reader collects mistakes.
    let read: @Sendable (inout Configuration, inout ConfigurationReader) -> Void
    /// The value in the form of the file, without secrets; `nil`: the value is not printed.
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

    /// For a member of a part that may be absent. Without the part it is not printed.
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
    ///   - read: sets members from the object, if there is one.
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

    /// The same setting, printed only if `condition` is true.
    func printed(if condition: @escaping @Sendable (Configuration) -> Bool) -> Setting {
        var setting = self
        setting.printed = { [printed] in condition($0) ? printed($0) : nil }
        return setting
    }

    /// The same setting, with a change that takes effect at a reload.
    func reloaded(_ reload: Reload) -> Setting {
        var setting = self
        setting.reload = reload
        return setting
    }
}
