@testable import DocsSurface
@testable import SurfaceTestSupport
import StrictJSON
import Testing

/// Samples of calls.
struct SampleTests {
    private func samples(_ id: String, of document: String) throws -> [String: String] {
        let source = try #require(DocsWorld.content.documents.first { $0.name == document })
        let call = try #require(source.calls.first { $0.id == id })
        let all = CodeSamples(request: SampleRequest(call, in: source)).all
        return Dictionary(all.map { ($0.language, $0.code) }) { first, _ in first }
    }

    @Test func `a JSON call with a bearer token`() throws {
        let samples = try samples("startUnify", of: "holdfast")
        #expect(
            samples["curl"] == """
                curl -sS -X POST '\(World.publicURL)/v3/unify' \\
                  -H "Authorization: Bearer $TOKEN" \\
                  -H 'Content-Type: application/json' \\
                  -d '{
                  "possessionType": "mobile",
                  "phoneNumber": "2001004014",
                  "clientRequestId": "r-1"
                }'
                """)
        #expect(samples["Python"]?.contains(#"headers={"Authorization": "Bearer " + os.environ["TOKEN"]}"#) == true)
        #expect(samples["JavaScript"]?.contains(#""Authorization": "Bearer " + process.env.TOKEN"#) == true)
        #expect(samples["Swift"]?.contains(#"environment["TOKEN"]!"#) == true)
        #expect(samples["Java"]?.contains(#".header("Authorization", "Bearer " + System.getenv("TOKEN"))"#) == true)
    }

    @Test func `a form with a user name and a password`() throws {
        let source = try #require(DocsWorld.content.documents.first { $0.name == "twilio-verify" })
        let call = try #require(source.calls.first { $0.method == "POST" })
        let curl = try #require(try samples(call.id, of: "twilio-verify")["curl"])
        #expect(curl.contains(#"-u "$CLIENT_ID:$CLIENT_SECRET""#) && curl.contains("--data-urlencode '"))
    }

    @Test func `every call has a whole sample in each language`() throws {
        var count = 0
        for document in DocsWorld.content.documents {
            for call in document.calls {
                let all = CodeSamples(request: SampleRequest(call, in: document)).all
                #expect(all.map(\.language) == ["curl", "Python", "JavaScript", "Swift", "Java"])
                for sample in all {
                    count += 1
                    #expect(!sample.code.contains("{}") || call.method != "GET", "\(call.id)")
                    #expect(sample.code.contains(document.server), "\(call.id)")
                    // A part of a path in braces was not filled in.
                    let url = sample.code.firstRange(of: document.server).map {
                        sample.code[$0.upperBound...].prefix { $0 != "'" && $0 != "\"" }
                    }
                    #expect(url?.contains("{") == false, "\(document.name) \(call.id) \(sample.language)")
                }
            }
        }
        #expect(count > 900)
    }

    @Test(arguments: [
        ("^VA[0-9a-f]{32}$", "VA" + String(repeating: "0", count: 32)), ("^[A-Z]+$", "A"), ("^a[b-d]{2,4}e?$", "abbe"),
        ("^x$", "x"),
    ]) func `a pattern of a row of classes has a text`(pattern: String, text: String) {
        #expect(SampleValue.text(matching: pattern) == text)
    }

    @Test(arguments: ["^(a|b)$", "a", "^a", "^[^a]$", "^.$", #"^\d$"#, "^[a$", "^a{2$"])
    func `another pattern has none`(pattern: String) {
        #expect(SampleValue.text(matching: pattern) == nil)
    }
}
