internal import Possession
internal import Text

extension Configuration {
    /// Reads and checks every setting.
    ///
    /// - Throws: all mistakes in one error.
    package init(_ sources: ConfigurationSources) throws(ConfigurationError) {
        self.init()
        var reader = ConfigurationReader(sources)
        // A file that cannot be parsed has no known settings, so do not report missing ones.
        guard !reader.isFileBroken else { throw ConfigurationError(mistakes: reader.mistakes) }
        // Parts that the rules remove if they are not wanted. After a mistake their values are placeholders, which
        // never leave this function.
        server.operations = Server.Operations()
        server.tls = Server.TLS()
        database = Database()
        sandbox = Sandbox()
        for setting in Setting.inReadingOrder {
            if sandbox == nil, setting.key.isForSandboxOnly { continue }
            setting.read(&self, &reader)
            SettingRules.bySetting[setting.key.path]?(&self, &reader)
        }
        foreignVariables = reader.foreignVariables
        guard reader.mistakes.isEmpty else { throw ConfigurationError(mistakes: reader.mistakes) }
    }
}

extension Configuration.Texts {
    static func defect(ofBrand brand: String) -> String? {
        brand.utf8.count <= 64 && Person.isPrintable(brand)
            ? nil : "must have 1 to 64 bytes without control characters"
    }
}

extension Configuration.App {
    static func defect(ofFinalTarget url: String) -> String? {
        (try? FinalTargetURL(url)) == nil
            ? "must be an https:// URL of at most 128 of A-Z a-z 0-9 - . _ + = / : ?; http only on loopback in sandbox"
            : nil
    }
}

extension Configuration.Webhooks {
    static let loopback = (try? AddressRanges(list: "127.0.0.0/8,::1")) ?? AddressRanges()
}
