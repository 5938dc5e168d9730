@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport
import Possession
import StrictJSON
import Testing

@Suite struct ComplianceObjectsTests {
    private static let check = OpenAPISchemaCheck(OpenAPIAnswers.document)

    private static func source(_ fill: (inout IdentityVerification.DataSource) -> Void) -> IdentityVerification {
        var source = IdentityVerification.DataSource()
        fill(&source)
        return IdentityVerification(multiCIPConfidence: "HIGH", dataSource1: source)
    }

    private static func text(_ idv: IdentityVerification) -> String? {
        (ComplianceFindings(verification: idv, kyc: nil)?.idvObject?.serialized()).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func `writes every member of idv in its type`() throws {
        let idv = Self.source { source in
            source.cipConfidence = "LOW"
            source.reasonCodes = ["A1", "B2"]
            var address = IdentityVerification.Address()
            (address.addressScore, address.distance, address.streetNumber) = (97, 1.25, 0)
            (address.street, address.city, address.region, address.postalCode) = (true, false, true, false)
            source.address = address
            var email = IdentityVerification.Email()
            email.emailAddress = false
            source.email = email
            var identifiers = IdentityVerification.Identifiers()
            (identifiers.dob, identifiers.last4, identifiers.ssn) = (true, false, true)
            source.identifiers = identifiers
            var name = IdentityVerification.Name()
            (name.firstName, name.lastName, name.nameScore) = (1, 2, 3)
            source.name = name
        }
        let written = #"""
            {"multiCIPConfidence":"HIGH","dataSource1":{"cipConfidence":"LOW","reasonCodes":["A1","B2"],\#
            "address":{"addressScore":97,"distance":1.25,"streetNumber":0,"street":true,"city":false,"region":true,\#
            "postalCode":false},"email":{"emailAddress":false},"identifiers":{"dob":true,"last4":false,"ssn":true},\#
            "name":{"firstName":1,"lastName":2,"nameScore":3}}}
            """#
        #expect(Self.text(idv) == written)
        let value = try JSONValue.parse(Array(written.utf8))
        #expect(Self.check.defects(of: value, ComplianceSchemas.idv.object) == [])
    }

    @Test func `leaves out whatever nothing is said about`() {
        let empty = Self.source { source in
            source.address = IdentityVerification.Address()
            source.email = IdentityVerification.Email()
            source.identifiers = IdentityVerification.Identifiers()
            source.name = IdentityVerification.Name()
        }
        #expect(Self.text(empty) == #"{"multiCIPConfidence":"HIGH"}"#)
        let findings = ComplianceFindings(verification: empty, kyc: nil)
        #expect(findings?.kycObject == nil)
        #expect(ComplianceFindings(verification: nil, kyc: KYCFindings(totalHits: 0))?.idvObject == nil)
        #expect(ComplianceFindings(verification: nil, kyc: nil) == nil)
    }

    @Test(
        arguments: [
            (0, "0"), (2, "2"), (1_000_000, "1000000"), (0.5, "0.5"), (812.4, "812.4"), (0.00001, "1e-05"), (-0.0, "0"),
        ] as [(Double, String)])
    func `writes a distance as a JSON number`(distance: Double, text: String) throws {
        let idv = Self.source { source in
            var address = IdentityVerification.Address()
            address.distance = distance
            source.address = address
        }
        let written = try #require(Self.text(idv))
        #expect(written.contains(#""address":{"distance":\#(text)}"#))
        let value = try JSONValue.parse(Array(written.utf8))
        #expect(Self.check.defects(of: value, ComplianceSchemas.idv.object) == [])
    }

    @Test(arguments: [
        (KYCFindings(totalHits: 0), #"{"totalHits":0}"#),
        (
            KYCFindings(
                totalHits: 4,
                amlTypeLists: [
                    .init(
                        amlType: "PEP", listHits: 3,
                        fields: [
                            .init(name: "n", source: "s", value: "v"), .init(name: "m", source: nil, value: "w"),
                        ]),
                    .init(amlType: "SANCTION", listHits: 1),
                ]),
            #"""
            {"totalHits":4,"amlTypeLists":[{"amlType":"PEP","listHits":3,"fields":\#
            [{"name":"n","source":"s","value":"v"},{"name":"m","value":"w"}]},{"amlType":"SANCTION","listHits":1}]}
            """#
        ),
    ])
    func `writes kyc with its hits`(kyc: KYCFindings, text: String) throws {
        let object = try #require(ComplianceFindings(verification: nil, kyc: kyc)?.kycObject)
        #expect(String(decoding: object.serialized(), as: UTF8.self) == text)
        #expect(Self.check.defects(of: .object(object), ComplianceSchemas.kyc.object) == [])
    }

    @Test(arguments: [
        (#"{}"#, false), (#"{"totalHits":1.5}"#, false), (#"{"totalHits":0,"amlTypeLists":null}"#, false),
        (#"{"totalHits":0,"hits":1}"#, false), (#"{"totalHits":0,"amlTypeLists":[]}"#, true),
    ])
    func `describes kyc narrowly`(text: String, fits: Bool) throws {
        let value = try JSONValue.parse(Array(text.utf8))
        #expect(Self.check.defects(of: value, ComplianceSchemas.kyc.object).isEmpty == fits)
    }
}
