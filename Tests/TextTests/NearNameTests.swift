import Testing

@testable import Text

@Suite struct NearNameTests {
    static let known = [
        "server.port", "server.publicUrl", "data.directory", "app.clientId", "limits.sendsPerSession",
        "sandbox.usersFile",
    ]

    @Test(arguments: [
        ("server.prot", "server.port"), ("server.publicURL", "server.publicUrl"), ("data.dir", nil),
        ("serverport", "server.port"), ("app.clientID", "app.clientId"),
        ("limits.sendsPerSesion", "limits.sendsPerSession"),
        ("sandbox.user", "sandbox.usersFile"), ("Sandbox.USER", "sandbox.usersFile"), ("x", nil), ("", nil),
        ("server.port", nil), ("sandbox", nil), ("server.", nil),
    ])
    func `names the setting that was probably meant`(name: String, expected: String?) {
        let hint = expected.map { "; did you mean \($0)?" } ?? ""
        #expect(NearName.hint(name, among: Self.known) == hint)
    }

    @Test(
        arguments: [
            ("phoneNumber", ["phonenumber", "number"], "phonenumber"), ("dob", ["dbo", "ssn"], "dbo"),
            ("dob", ["birthDate"], nil), ("possessionType", ["possesionType", "possessionTyp"], "possesionType"),
            ("dob", [], nil),
        ] as [(String, [String], String?)]) func `finds what was sent in place of a name`(
            name: String, sent: [String], expected: String?
        )
    {
        #expect(NearName.nearest(to: name, among: sent) == expected)
    }

    @Test(arguments: [("", "", 0), ("ab", "ba", 1), ("abc", "abd", 1), ("abc", "ab", 1), ("kitten", "sitting", 3)])
    func `counts insertions, deletions, replacements and swaps`(one: String, other: String, distance: Int) {
        #expect(NearName.distance(Array(one.utf8), Array(other.utf8)) == distance)
    }

    @Test func `does no work for a name of no sensible length`() {
        #expect(NearName.hint(String(repeating: "server.port", count: 10_000), among: Self.known).isEmpty)
    }
}
