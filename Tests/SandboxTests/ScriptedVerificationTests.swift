import Sandbox
import Possession
import Testing

@Suite struct `The verify script of a sandbox user` {
    private static func mistakes(_ script: String) -> [String] {
        do {
            _ = try user(script)
            return []
        } catch let mistakes as SandboxUsersFile.Mistakes {
            return mistakes.all
        } catch {
            return ["\(error)"]
        }
    }

    private static func user(_ script: String) throws -> SandboxUser? {
        let json = #"""
            {"users":[{"number":"2001004014","name":"A","region":"NA","product":"verify","verify":\#(script)}]}
            """#
        return try SandboxUsersFile(Array(json.utf8)).users.first
    }

    @Test func `is read whole, and left out without harm`() throws {
        let script = try Self.user(#"{"success":false,"assuranceLevel":"AL-1","reasons":["AL-1a","AL-1h"]}"#)
        #expect(
            script?.verification
                == ScriptedVerification(
                    passes: false, assurance: Assurance(.untrusted, [.scripted("AL-1a"), .scripted("AL-1h")])))
        let bare = try Self.user(#"{"success":true,"assuranceLevel":"AL3"}"#)
        #expect(bare?.verification == ScriptedVerification(passes: true, assurance: Assurance(.three, [])))
    }

    @Test(arguments: [
        ("7", ["verify: must be an object"]), ("null", ["verify: must be an object"]),
        ("{}", ["verify.success: is missing", "verify.assuranceLevel: is missing"]),
        (#"{"success":"true","assuranceLevel":"AL1"}"#, ["verify.success: must be true or false"]),
        (
            #"{"success":true,"assuranceLevel":"AL4"}"#,
            ["verify.assuranceLevel: must be one of AL-1, AL0, AL1, AL2, AL3"]
        ),
        (#"{"success":true,"assuranceLevel":"AL1","reasons":"AL1a"}"#, ["verify.reasons: must be a list"]),
        (
            #"{"success":true,"assuranceLevel":"AL1","reasons":["AL1a","AL1","AL1A","AL1ab","AL9a",7]}"#,
            (1...5).map { "verify.reasons[\($0)]: must be a level and a letter, such as AL1a" }
        ),
        (
            #"{"success":true,"assuranceLevel":"AL1","reasons":[\#(Array(repeating: "\"AL1a\"", count: 9).joined(separator: ","))]}"#,
            ["verify.reasons: has more than 8 entries"]
        ),
        (#"{"success":true,"assuranceLevel":"AL1","level":1}"#, ["verify.level: unknown member"]),
    ]) func `names what is wrong with it`(script: String, mistakes: [String]) {
        #expect(Self.mistakes(script) == mistakes.map { "users[0].\($0)" })
    }
}
