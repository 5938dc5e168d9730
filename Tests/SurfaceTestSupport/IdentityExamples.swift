import HTTPServer
import Possession
import StrictJSON

/// Calls verification, Identity Manager and domains as two backends would, for the examples of the API description.
enum IdentityExamples {
    typealias Answered = (id: String, answer: Response)

    static let elena = Person(
        firstName: "Elena", lastName: "Coldman", dob: "1987-05-14", ssn: "900450053",
        emailAddresses: ["ecoldman@example.com"],
        addresses: [.init(address: "12 Sutteridge Way", city: "Denver", region: "CO", postalCode: "80204")])

    static func answers() async -> [Answered] {
        var options = World.Options()
        options.people.all = [World.lorant: elena]
        guard let world = try? await World(options) else { return [] }
        return await verification(world) + (await manager(world)) + (await domains(world))
    }

    private static func verification(_ world: World) async -> [Answered] {
        let item = #""phoneNumber":"2001004014","firstName":"Elena","lastName":"Coldman","clientCustomerId":"c-1""#
        return [
            (
                "verifyPerson",
                await world.post("/v3/verify", #"{\#(item),"verificationType":"prefill","clientRequestId":"r-1"}"#)
            ),
            (
                "verifyPeople",
                await world.post(
                    "/v3/verify/batch",
                    #"{"items":[{\#(item),"verificationType":"verifiedUser"},{"phoneNumber":"2001004015"}]}"#)
            ),
        ]
    }

    private static func manager(_ world: World) async -> [Answered] {
        let enrolled = await world.post(
            "/v3/identity",
            """
            {"phoneNumber":"2001004014","clientCustomerId":"c-1",\
            "identityAttributes":[{"attributeType":"loyaltyTier","attributeValue":"gold"}]}
            """)
        let path = "/v3/identity/\(enrolled.json["proveId"]?.string ?? "")"
        return [
            ("enrolIdentity", enrolled),
            (
                "enrolIdentities",
                await world.post(
                    "/v3/identity/batch", #"{"items":[{"phoneNumber":"2001004015"},{"phoneNumber":"1"}]}"#)
            ),
            ("listIdentities", await world.call(.get, "/v3/identity", query: "limit=1")),
            ("lookUpIdentity", await world.call(.get, "/v3/identity/2001004014/lookup")),
            ("deactivateIdentity", await world.post("\(path)/deactivate", "{}")),
            ("activateIdentity", await world.post("\(path)/activate", "{}")),
            ("readIdentity", await world.call(.get, path)),
        ]
    }

    private static func domains(_ world: World) async -> [Answered] {
        let other = await world.domain(of: "sandbox-2")
        let own = await world.call(.get, "/v3/domain/id")
        let ownID = own.json["pcid"]?.string ?? ""
        let link = await world.post("/v3/domain/link", #"{"pcid":"\#(other)","scopes":["kyc"]}"#)
        let confirmed = await world.post("/v3/domain/confirm-link", #"{"pcid":"\#(ownID)"}"#, as: "sandbox-2")
        _ = await world.post("/v3/identity", #"{"phoneNumber":"2001004014"}"#, as: "sandbox-2")
        let id = await world.enrol("2001004014")
        return [
            ("readDomain", own), ("requestDomainLink", link), ("confirmDomainLink", confirmed),
            ("listDomainLinks", await world.call(.get, "/v3/domain/linked")),
            ("findAcrossDomains", await world.post("/v3/identity/\(id)/cross-domain", "{}")),
            ("discoverAttributes", await world.call(.get, "/v3/discover", query: "proveId=\(id)")),
            ("fetchAttribute", await world.call(.get, "/v3/fetch", query: "proveId=\(id)&attributeId=loyaltyTier")),
            ("removeDomainLink", await world.post("/v3/domain/unlink", #"{"pcidTo":"\#(other)"}"#)),
            ("removeIdentity", await world.call(.delete, "/v3/identity/\(id)")),
        ]
    }
}

extension World {
    /// A call of a backend without a body.
    func call(_ method: HTTPServer.Method, _ path: String, query: String = "", as client: String = "sandbox") async
        -> Response
    {
        await self.client.send(
            Request(method: method, path: path, rawQuery: query, headers: Headers([World.bearer(client)]), id: "q"))
    }

    /// The `proveId` of a number that is enrolled from now on.
    func enrol(_ number: String, _ more: String = "", as client: String = "sandbox") async -> String {
        await post("/v3/identity", #"{"phoneNumber":"\#(number)"\#(more)}"#, as: client).json["proveId"]?.string ?? ""
    }

    /// ID of a tenant's domain, which others know it by.
    func domain(of client: String) async -> String {
        await call(.get, "/v3/domain/id", as: client).json["pcid"]?.string ?? ""
    }

    /// Links the two sandbox tenants; the first one asks.
    func link() async {
        let (own, other) = (await domain(of: "sandbox"), await domain(of: "sandbox-2"))
        _ = await post("/v3/domain/link", #"{"pcid":"\#(other)","scopes":["tier","phoneNumber"]}"#)
        _ = await post("/v3/domain/confirm-link", #"{"pcid":"\#(own)"}"#, as: "sandbox-2")
    }
}
