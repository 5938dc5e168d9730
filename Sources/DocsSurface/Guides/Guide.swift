internal import BuiltInFiles

/// A page of `docs/` on the site.
struct Guide: Sendable {
    /// Without `docs/` and the file extension, such as `operate/backup`.
    let name: String
    let markdown: Markdown

    var address: String { SitePath.root + "/" + name }
    /// The page above this one; `nil`: it is on the first level.
    var parent: String? { name.firstIndex(of: "/").map { String(name[..<$0]) } }

    /// Reads all built-in pages.
    static func all() -> [Guide] {
        BuiltInFile.all(below: "docs").compactMap { path, file in
            guard path.hasSuffix(".md") else { return nil }
            let name = String(path.dropFirst("docs/".count).dropLast(".md".count))
            return Guide(name: name, markdown: Markdown(file.bytes) { SitePath.address(of: $0, from: name) })
        }
    }
}

/// Guides under one heading of the navigation.
struct GuideGroup: Sendable {
    let heading: String
    /// Names of first-level pages, in reading order.
    let names: [String]

    static let all = [
        GuideGroup(heading: "Begin", names: ["concepts", "testing", "vendors"]),
        GuideGroup(
            heading: "Vendors' formats",
            names: ["prelude", "otpless", "onboarding", "twilio-verify", "camara", "sms-hooks"]),
        GuideGroup(heading: "Build", names: ["clients", "sandbox", "webhooks", "messages", "errors"]),
        GuideGroup(
            heading: "Operate",
            names: [
                "deploy", "configuration", "operate", "gateways", "operators", "limits", "data", "security",
                "benchmarks",
            ]),
        GuideGroup(heading: "Develop", names: ["architecture", "development"]),
    ]
}
