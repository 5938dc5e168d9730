import ClientSurfaces
import OperationsSurfaces
import ProveSurfaces
import SandboxSurfaces
import ServerDescription
import SurfaceKit
import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport

@Suite struct DomainTests {
    private static let stranger = "019b7907-8d58-7500-8000-000000000001"
    private static let done = #"{"success":true}"#

    @Test func `tells a tenant its name towards others, always the same`() async throws {
        let world = try await World()
        let answer = await world.call(.get, "/v3/domain/id")
        #expect(answer.json.names == ["pcid", "name", "issuerId"])
        #expect(answer.json["name"] == "sandbox" && answer.json["issuerId"] == answer.json["pcid"])
        #expect(SDKShape.defects(of: answer.body) == [])
        #expect(await world.call(.get, "/v3/domain/id").body == answer.body)
        #expect(await world.domain(of: "sandbox-2") != answer.json["pcid"]?.string)
    }

    @Test func `a link is asked for, agreed to, listed on both sides, and ended`() async throws {
        let world = try await World()
        let (mine, theirs) = (await world.domain(of: "sandbox"), await world.domain(of: "sandbox-2"))
        func linked(_ client: String) async -> String {
            await world.call(.get, "/v3/domain/linked", as: client).text
        }
        #expect(await linked("sandbox") == "{}")
        let asked = await world.post("/v3/domain/link", #"{"pcid":"\#(theirs)","scopes":["kyc","age"]}"#)
        #expect(asked.text == Self.done && SDKShape.defects(of: asked.body, successIsText: false) == [])
        func entry(_ name: String, _ pcid: String, _ verb: String, _ moment: String) -> String {
            """
            [{"name":"\(name)","pcid":"\(pcid)","scopes":["kyc","age"],"\(verb)At":\(moment)}]
            """
        }
        let requested = #"1767261600,"requestedString":"2026-01-01T10:00:00Z""#
        #expect(await linked("sandbox") == #"{"requestsTo":\#(entry("sandbox-2", theirs, "requested", requested))}"#)
        #expect(await linked("sandbox-2") == #"{"requestsFrom":\#(entry("sandbox", mine, "requested", requested))}"#)
        world.clock.advanceFreely(5)
        let confirm = #"{"pcid":"\#(mine)"}"#
        #expect(await world.post("/v3/domain/confirm-link", confirm, as: "sandbox-2").text == Self.done)
        #expect(await world.post("/v3/domain/confirm-link", confirm, as: "sandbox-2").text == Self.done)
        let accepted = #"1767261605,"acceptedString":"2026-01-01T10:00:05Z""#
        #expect(await linked("sandbox") == #"{"linkedTo":\#(entry("sandbox-2", theirs, "accepted", accepted))}"#)
        #expect(await linked("sandbox-2") == #"{"linkedFrom":\#(entry("sandbox", mine, "accepted", accepted))}"#)
        let changed = await world.post("/v3/domain/link", #"{"pcid":"\#(theirs)","scopes":["other"]}"#)
        #expect(changed.status == 403 && changed.json["code"] == 8003)
        let unlinked = await world.post("/v3/domain/unlink", #"{"pcidFrom":"\#(mine)"}"#, as: "sandbox-2")
        #expect(unlinked.text == Self.done)
        for client in ["sandbox", "sandbox-2"] { #expect(await linked(client) == "{}") }
    }

    @Test func `scopes that are swapped after they were shown are not agreed to`() async throws {
        let world = try await World()
        let (mine, theirs) = (await world.domain(of: "sandbox"), await world.domain(of: "sandbox-2"))
        let id = await world.enrol("2001004014")
        let secrets =
            #","identityAttributes":[{"attributeType":"loyalty","attributeValue":"gold"},"#
            + #"{"attributeType":"everything","attributeValue":"secret"}]"#
        _ = await world.enrol("2001004014", secrets, as: "sandbox-2")
        func ask(_ scope: String) async {
            _ = await world.post("/v3/domain/link", #"{"pcid":"\#(theirs)","scopes":["\#(scope)"]}"#)
        }
        func confirm(_ more: String = "") async -> Response {
            await world.post("/v3/domain/confirm-link", #"{"pcid":"\#(mine)"\#(more)}"#, as: "sandbox-2")
        }
        func found() async -> String { await world.call(.get, "/v3/discover", query: "proveId=\(id)").text }
        await ask("loyalty")
        #expect(await world.call(.get, "/v3/domain/linked", as: "sandbox-2").text.contains(#""scopes":["loyalty"]"#))
        await ask("everything")
        #expect(await confirm().text == Self.done)
        let first = await found()
        #expect(first.contains("loyalty") && !first.contains("everything"))
        // Taken back and asked for again, it must be named.
        _ = await world.post("/v3/domain/unlink", #"{"pcidTo":"\#(theirs)"}"#)
        await ask("everything")
        let refused = await confirm()
        #expect(
            refused.status == 400
                && refused.text
                    == #"{"code":8001,"message":"field 'scopes' is missing; a request was taken back since, so "#
                    + #"name what is meant"}"#
        )
        #expect(await confirm(#","scopes":["loyalty"]"#).status == 404)
        #expect(await !found().contains("everything"))
        #expect(await confirm(#","scopes":["everything"]"#).text == Self.done)
        let second = await found()
        #expect(second.contains("everything") && !second.contains("loyalty"))
    }

    @Test func `a link that is not there cannot be agreed to or ended`() async throws {
        let world = try await World()
        let (mine, theirs) = (await world.domain(of: "sandbox"), await world.domain(of: "sandbox-2"))
        for (path, body, what) in [
            ("/v3/domain/link", #"{"pcid":"\#(Self.stranger)"}"#, "domain"),
            ("/v3/domain/confirm-link", #"{"pcid":"\#(theirs)"}"#, "link request"),
            ("/v3/domain/confirm-link", #"{"pcid":"\#(Self.stranger)"}"#, "link request"),
            ("/v3/domain/unlink", #"{"pcidFrom":"\#(theirs)"}"#, "link"),
            ("/v3/domain/unlink", #"{"pcidTo":"\#(theirs)"}"#, "link"),
            ("/v3/domain/unlink", #"{"pcidFrom":"\#(mine)","pcidTo":"\#(theirs)"}"#, "link"),
            ("/v3/domain/unlink", #"{"pcidTo":"\#(mine)"}"#, "link"),
        ] {
            let answer = await world.post(path, body)
            #expect(answer.status == 404 && answer.text == #"{"code":8010,"message":"no such \#(what)"}"#)
        }
        let asked = await world.post("/v3/domain/link", #"{"pcid":"\#(theirs)"}"#)
        #expect(asked.text == Self.done)
        // The tenant that asked cannot agree to it too.
        #expect(await world.post("/v3/domain/confirm-link", #"{"pcid":"\#(theirs)"}"#).status == 404)
    }

    @Test(arguments: [
        ("/v3/domain/link", "{}", "pcid", "is missing"), ("/v3/domain/link", #"{"pcid":""}"#, "pcid", "is missing"),
        ("/v3/domain/link", #"{"pcid":7}"#, "pcid", "must be a string"),
        ("/v3/domain/link", #"{"pcid":"x"}"#, "pcid", "must be a UUID"),
        ("/v3/domain/link", #"{"pcid":"\#(stranger)","scopes":"x"}"#, "scopes", "must be an array"),
        ("/v3/domain/link", #"{"pcid":"\#(stranger)","scopes":[7]}"#, "scopes[0]", "must be a string"),
        ("/v3/domain/link", #"{"pcid":"\#(stranger)","scopes":["a",""]}"#, "scopes[1]", "is empty"),
        ("/v3/domain/link", #"{"pcid":"\#(stranger)","scopes":["a\nb"]}"#, "scopes[0]", "has a control character"),
        (
            "/v3/domain/link", #"{"pcid":"\#(stranger)","scopes":["\#(String(repeating: "a", count: 65))"]}"#,
            "scopes[0]", "is longer than 64 characters"
        ),
        (
            "/v3/domain/link",
            #"{"pcid":"\#(stranger)","scopes":[\#(Array(repeating: "\"a\"", count: 21).joined(separator: ","))]}"#,
            "scopes", "has more than 20 entries"
        ),
        ("/v3/domain/confirm-link", "{}", "pcid", "is missing"),
        ("/v3/domain/confirm-link", #"{"pcid":"x"}"#, "pcid", "must be a UUID"),
        ("/v3/domain/confirm-link", #"{"pcid":"\#(stranger)","scopes":"x"}"#, "scopes", "must be an array"),
        ("/v3/domain/unlink", "{}", "pcidFrom", "is missing"),
        ("/v3/domain/unlink", #"{"pcidFrom":7}"#, "pcidFrom", "must be a string"),
        ("/v3/domain/unlink", #"{"pcidTo":"x"}"#, "pcidTo", "must be a UUID"),
    ]) func `names field and reason`(path: String, body: String, field: String, reason: String) async throws {
        let answer = await (try World()).post(path, body)
        #expect(answer.status == 400)
        #expect(answer.text == #"{"code":8001,"message":"field '\#(field)' \#(reason)"}"#)
    }

    @Test func `a tenant does not link with itself`() async throws {
        let world = try await World()
        let answer = await world.post("/v3/domain/link", #"{"pcid":"\#(await world.domain(of: "sandbox"))"}"#)
        #expect(answer.text == #"{"code":8001,"message":"field 'pcid' is the caller's own"}"#)
    }

    // MARK: Behind the links

    private static func attribute(_ name: String, _ value: String) -> String {
        #","identityAttributes":[{"attributeType":"\#(name)","attributeValue":"\#(value)"}]"#
    }

    @Test func `shows another tenant's identity and attributes while they are linked, and not before`() async throws {
        let world = try await World()
        let mine = await world.enrol("2001004014", Self.attribute("tier", "gold"))
        let theirs = await world.enrol("2001004014", Self.attribute("tier", "iron"), as: "sandbox-2")
        _ = await world.enrol("2001004015", Self.attribute("tier", "lead"), as: "sandbox-2")
        let (own, other) = (await world.domain(of: "sandbox"), await world.domain(of: "sandbox-2"))
        func across() async -> Response { await world.post("/v3/identity/\(mine)/cross-domain", "{}") }
        func discovered() async -> String {
            await world.call(.get, "/v3/discover", query: "proveId=\(mine)&clientRequestId=r-1").text
        }
        func fetched() async -> String {
            await world.call(.get, "/v3/fetch", query: "proveId=\(mine)&attributeId=tier").text
        }
        let alone = [
            #"{"count":0,"identities":[]}"#, #"{"results":[{"attributeId":"tier","issuerId":"\#(own)"}]}"#,
            #"{"results":[{"attributeId":"tier","attributeValue":"gold","issuerId":"\#(own)"}]}"#,
        ]
        #expect(await [across().text, discovered(), fetched()] == alone)
        _ = await world.post("/v3/domain/link", #"{"pcid":"\#(other)","scopes":["tier"]}"#)
        #expect(await [across().text, discovered(), fetched()] == alone, "a request shows nothing")
        await world.link()
        let found = await across()
        #expect(
            found.text == """
                {"count":1,"identities":[{"clientName":"sandbox-2","identityId":"\(theirs)","proveId":"\(theirs)",\
                "pcid":"\(other)"}]}
                """)
        #expect(SDKShape.defects(of: found.body) == [])
        #expect(
            await discovered() == """
                {"results":[{"attributeId":"tier","issuerId":"\(own)"},{"attributeId":"tier","issuerId":"\(other)"}]}
                """)
        #expect(await fetched().contains(#"{"attributeId":"tier","attributeValue":"iron","issuerId":"\#(other)"}"#))
        #expect(await !fetched().contains("lead"))
        let seen = await world.post("/v3/identity/\(theirs)/cross-domain", "{}", as: "sandbox-2").json
        #expect(seen["identities"]?.array?.first?.object?["identityId"]?.string == mine)
        _ = await world.post("/v3/identity/\(theirs)/deactivate", "{}", as: "sandbox-2")
        #expect(await [across().text, discovered(), fetched()] == alone)
        _ = await world.post("/v3/identity/\(theirs)/activate", "{}", as: "sandbox-2")
        #expect(await across().json["count"] == 1)
        _ = await world.post("/v3/domain/unlink", #"{"pcidTo":"\#(other)"}"#)
        #expect(await [across().text, discovered(), fetched()] == alone)
    }

    @Test func `tells an identity or attribute that is not there`() async throws {
        let world = try await World()
        let mine = await world.enrol("2001004014", Self.attribute("tier", "gold"))
        let theirs = await world.enrol("2001004014", as: "sandbox-2")
        await world.link()
        for id in [theirs, Self.stranger] {
            for query in ["proveId=\(id)&attributeId=tier"] {
                for path in ["/v3/discover", "/v3/fetch"] {
                    let answer = await world.call(.get, path, query: query)
                    #expect(answer.text == #"{"code":8010,"message":"no such identity"}"#)
                }
            }
        }
        for name in ["Tier", "x"] {
            let answer = await world.call(.get, "/v3/fetch", query: "proveId=\(mine)&attributeId=\(name)")
            #expect(answer.status == 404 && answer.text == #"{"code":8010,"message":"no such attribute"}"#)
        }
        let bare = await world.enrol("2001004015")
        #expect(await world.call(.get, "/v3/discover", query: "proveId=\(bare)").text == #"{"results":[]}"#)
    }

    @Test(arguments: [
        ("/v3/discover", "", "proveId", "is missing"), ("/v3/discover", "proveId=", "proveId", "is missing"),
        ("/v3/discover", "proveId=x", "proveId", "must be a UUID"),
        ("/v3/fetch", "attributeId=x", "proveId", "is missing"),
        ("/v3/fetch", "proveId=\(stranger)", "attributeId", "is missing"),
        (
            "/v3/fetch", "proveId=\(stranger)&attributeId=\(String(repeating: "a", count: 65))", "attributeId",
            "is longer than 64 characters"
        ),
        (
            "/v3/fetch", "proveId=\(stranger)&attributeId=x&clientRequestId=%07", "clientRequestId",
            "has a control character"
        ),
    ]) func `names a bad parameter`(path: String, query: String, field: String, reason: String) async throws {
        let answer = await (try World()).call(.get, path, query: query)
        #expect(answer.status == 400)
        #expect(answer.text == #"{"code":8001,"message":"field '\#(field)' \#(reason)"}"#)
    }
}
