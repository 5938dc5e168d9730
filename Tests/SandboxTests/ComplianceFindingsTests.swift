import Sandbox
import Possession
import Testing

@Suite struct `The compliance findings of a sandbox user` {
    private static func file(_ members: String) throws(SandboxUsersFile.Mistakes) -> SandboxUsersFile {
        let json = #"""
            {"users":[{"number":"2001004000","name":"A","region":"NA","product":"identity",
            "person":{"firstName":"A","lastName":"B",\#(members)}}]}
            """#
        return try SandboxUsersFile(Array(json.utf8))
    }

    private static func mistakes(_ members: String) -> [String] {
        do {
            _ = try file(members)
            return []
        } catch {
            return error.all
        }
    }

    @Test func `are read with every member`() throws {
        let source = #"""
            {"cipConfidence":"HIGH","reasonCodes":["A1","B2"],"address":{"addressScore":97,"distance":1.25,
            "streetNumber":100,"street":true,"city":false,"region":true,"postalCode":false},
            "email":{"emailAddress":true},"identifiers":{"dob":true,"last4":false,"ssn":true},
            "name":{"firstName":1,"lastName":2,"nameScore":3}}
            """#
        let findings = try #require(
            try Self.file(
                #"""
                "idv":{"multiCIPConfidence":"LOW","dataSource1":\#(source),"dataSource2":{}},
                "kyc":{"totalHits":4,"amlTypeLists":[{"amlType":"PEP","listHits":4,
                "fields":[{"name":"n","source":"s","value":"v"},{"name":"m","value":"w"}]}]}
                """#
            ).entries.first?.person?.findings)

        var expected = IdentityVerification.DataSource()
        expected.cipConfidence = "HIGH"
        expected.reasonCodes = ["A1", "B2"]
        var address = IdentityVerification.Address()
        (address.addressScore, address.distance, address.streetNumber) = (97, 1.25, 100)
        (address.street, address.city, address.region, address.postalCode) = (true, false, true, false)
        expected.address = address
        var email = IdentityVerification.Email()
        email.emailAddress = true
        expected.email = email
        var identifiers = IdentityVerification.Identifiers()
        (identifiers.dob, identifiers.last4, identifiers.ssn) = (true, false, true)
        expected.identifiers = identifiers
        var name = IdentityVerification.Name()
        (name.firstName, name.lastName, name.nameScore) = (1, 2, 3)
        expected.name = name
        #expect(findings.verification?.multiCIPConfidence == "LOW")
        #expect(findings.verification?.dataSource1 == expected)
        #expect(findings.verification?.dataSource2 == IdentityVerification.DataSource())
        let fields = [
            KYCFindings.Field(name: "n", source: "s", value: "v"),
            KYCFindings.Field(name: "m", source: nil, value: "w"),
        ]
        #expect(
            findings.kyc
                == KYCFindings(totalHits: 4, amlTypeLists: [.init(amlType: "PEP", listHits: 4, fields: fields)]))
    }

    @Test(arguments: [
        (#""dob":"2000-01-01""#, false, false), (#""idv":{"multiCIPConfidence":"LOW"}"#, true, false),
        (#""kyc":{"totalHits":0}"#, false, true),
        (#""idv":{"multiCIPConfidence":"LOW"},"kyc":{"totalHits":0,"amlTypeLists":[]}"#, true, true),
    ])
    func `are there as far as they are given`(members: String, hasIDV: Bool, hasKYC: Bool) throws {
        let findings = try #require(try Self.file(members).entries.first?.person).findings
        #expect((findings?.verification != nil) == hasIDV && (findings?.kyc != nil) == hasKYC)
        #expect((findings != nil) == (hasIDV || hasKYC))
    }

    @Test func `print as nothing`() throws {
        let findings = try Self.file(#""kyc":{"totalHits":0}"#).entries.first?.person?.findings
        #expect("\(try #require(findings))" == "<findings>")
    }

    @Test(arguments: [
        (#""idv":[]"#, ["idv: must be an object"]), (#""kyc":null"#, ["kyc: must be an object"]),
        (#""idv":{}"#, ["idv.multiCIPConfidence: is missing"]), (#""kyc":{}"#, ["kyc.totalHits: is missing"]),
        (#""idv":{"multiCIPConfidence":1}"#, ["idv.multiCIPConfidence: must be text"]),
        (#""idv":{"multiCIPConfidence":"LOW","dataSource3":{}}"#, ["idv.dataSource3: unknown member"]),
        (#""kyc":{"totalHits":-1}"#, ["kyc.totalHits: must be a whole number from 0 to 1000000"]),
        (#""kyc":{"totalHits":1.5}"#, ["kyc.totalHits: must be a whole number from 0 to 1000000"]),
        (#""kyc":{"totalHits":1000001}"#, ["kyc.totalHits: must be a whole number from 0 to 1000000"]),
        (#""kyc":{"totalHits":1000000}"#, []),
        (#""kyc":{"totalHits":0,"amlTypeLists":{}}"#, ["kyc.amlTypeLists: must be a list"]),
        (
            #""kyc":{"totalHits":0,"amlTypeLists":[7,{"fields":[{}]}]}"#,
            [
                "kyc.amlTypeLists[0]: must be an object", "kyc.amlTypeLists[1].amlType: is missing",
                "kyc.amlTypeLists[1].listHits: is missing", "kyc.amlTypeLists[1].fields[0].name: is missing",
                "kyc.amlTypeLists[1].fields[0].value: is missing",
            ]
        ),
    ])
    func `name every mistake with its place`(members: String, mistakes: [String]) {
        #expect(Self.mistakes(members) == mistakes.map { "users[0].person.\($0)" })
    }

    @Test(arguments: [
        (#""reasonCodes":"A""#, ["reasonCodes: must be a list"]),
        (#""reasonCodes":["A",7,""]"#, ["reasonCodes[1]: must be text", "reasonCodes[2]: must not be empty"]),
        (#""cipConfidence":"""#, ["cipConfidence: must not be empty"]),
        (#""address":true"#, ["address: must be an object"]),
        (#""address":{"addressScore":"1"}"#, ["address.addressScore: must be a whole number from 0 to 1000000"]),
        (#""address":{"addressScore":1.5}"#, ["address.addressScore: must be a whole number from 0 to 1000000"]),
        (
            #""address":{"street":1,"zip":true}"#,
            ["address.street: must be true or false", "address.zip: unknown member"]
        ),
        (#""email":{"emailAddress":"a@b"}"#, ["email.emailAddress: must be true or false"]),
        (#""identifiers":{"dob":null}"#, ["identifiers.dob: must be true or false"]),
        (#""name":{"nameScore":true}"#, ["name.nameScore: must be a whole number from 0 to 1000000"]),
    ])
    func `name what is wrong with a data source`(member: String, mistakes: [String]) {
        let member = #""idv":{"multiCIPConfidence":"LOW","dataSource2":{\#(member)}}"#
        #expect(Self.mistakes(member) == mistakes.map { "users[0].person.idv.dataSource2.\($0)" })
    }

    @Test(
        arguments: [
            ("0", 0), ("1.25", 1.25), ("1e3", 1000), ("1000000", 1_000_000), ("1000000.5", nil), ("-0.1", nil),
            ("1e400", nil),
            (#""1""#, nil), ("null", nil), ("9223372036854775807", nil), ("99999999999999999999", nil),
        ] as [(String, Double?)])
    func `take any distance that a number can say, within reason`(text: String, distance: Double?) {
        let member = #""idv":{"multiCIPConfidence":"LOW","dataSource1":{"address":{"distance":\#(text)}}}"#
        let place = "users[0].person.idv.dataSource1.address.distance"
        #expect(Self.mistakes(member) == (distance == nil ? ["\(place): must be a number from 0 to 1000000"] : []))
        let idv = (try? Self.file(member))?.entries.first?.person?.findings?.verification
        #expect(idv?.dataSource1?.address?.distance == distance)
    }

    @Test(arguments: [("amlTypeLists", 32, 33), ("fields", 64, 65)])
    func `take so many and no more`(name: String, most: Int, tooMany: Int) {
        func members(_ count: Int) -> String {
            let element =
                name == "fields" ? #"{"name":"n","value":"v"}"# : #"{"amlType":"PEP","listHits":0}"#
            let list = #""\#(name)":[\#(Array(repeating: element, count: count).joined(separator: ","))]"#
            return name == "fields"
                ? #""kyc":{"totalHits":0,"amlTypeLists":[{"amlType":"PEP","listHits":0,\#(list)}]}"#
                : #""kyc":{"totalHits":0,\#(list)}"#
        }
        #expect(Self.mistakes(members(most)).isEmpty)
        #expect(Self.mistakes(members(tooMany)).map { $0.hasSuffix("has more than \(most) entries") } == [true])
    }
}
