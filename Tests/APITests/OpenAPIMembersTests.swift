@testable import API
import Foundation
import StrictJSON
import Testing

/// The members of a request as described, against those that the endpoint reads: what its own source asks for.
struct OpenAPIMembersTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Sources/API")

    /// What endpoints read through a helper: the helper's call, its file, and the members it asks for.
    private static let helpers: [(call: String, file: String, members: Set<String>)] = [
        ("fields.finalTargetURL()", "Platform/SessionOrderFields.swift", ["finalTargetUrl"]),
        ("fields.messageTemplate()", "Platform/SessionOrderFields.swift", ["smsMessage"]),
        ("fields.claim()", "Platform/SessionOrderFields.swift", ["dob", "ssn", "last4SSN"]),
        (
            "fields.prefillOrder()", "Platform/SessionOrderFields.swift",
            [
                "flowType", "phoneNumber", "finalTargetUrl", "dob", "ssn", "last4SSN", "emailAddress", "ipAddress",
                "smsMessage", "allowOTPRetry",
            ]
        ),
        ("PrefillBody.correlationID(", "Platform/Endpoints/ValidateNumber.swift", ["correlationId"]),
        ("AppRequest.credential(", "App/AppRequest.swift", ["authId"]),
        (
            "IndividualReader(fields.object)", "Platform/Individual.swift",
            ["firstName", "lastName", "dob", "ssn", "last4SSN", "emailAddresses", "addresses"]
        ),
    ]

    /// The file of each operation with a body.
    private static let endpoints: [(id: String, file: String)] = [
        ("issueToken", "Platform/Endpoints/IssueToken.swift"), ("startUnify", "Platform/Endpoints/StartUnify.swift"),
        ("readUnifyStatus", "Platform/Endpoints/ReadUnifyStatus.swift"),
        ("bindUnify", "Platform/Endpoints/BindUnify.swift"), ("revokeDevice", "Platform/Endpoints/RevokeDevice.swift"),
        ("startPrefill", "Platform/Endpoints/StartPrefill.swift"),
        ("validateNumber", "Platform/Endpoints/ValidateNumber.swift"),
        ("challengePerson", "Platform/Endpoints/ChallengePerson.swift"),
        ("completePrefill", "Platform/Endpoints/CompletePrefill.swift"),
        ("startAuth", "Auth/Endpoints/StartAuth.swift"), ("continueAuth", "Auth/Endpoints/ContinueAuth.swift"),
        ("finishAuth", "Auth/Endpoints/FinishAuth.swift"), ("initializeFlow", "App/Endpoints/InitializeFlow.swift"),
        ("verifyFlow", "App/Endpoints/VerifyFlow.swift"),
        ("finishFlow", "App/Endpoints/FinishFlow.swift"),
        ("verifyPerson", "Identity/Endpoints/VerifyPerson.swift"),
        ("verifyPeople", "Identity/Endpoints/VerifyPeople.swift"),
        ("enrolIdentity", "Identity/Endpoints/EnrolIdentity.swift"),
        ("enrolIdentities", "Identity/Endpoints/EnrolIdentities.swift"),
        ("activateIdentity", "Identity/Endpoints/SetIdentityActive.swift"),
        ("deactivateIdentity", "Identity/Endpoints/SetIdentityActive.swift"),
        ("findAcrossDomains", "Identity/Endpoints/FindAcrossDomains.swift"),
        ("requestDomainLink", "Identity/Endpoints/RequestDomainLink.swift"),
        ("confirmDomainLink", "Identity/Endpoints/ConfirmDomainLink.swift"),
        ("removeDomainLink", "Identity/Endpoints/RemoveDomainLink.swift"),
        ("startSession", "Client/Endpoints/StartSession.swift"), ("proveDevice", "Client/Endpoints/ProveDevice.swift"),
        ("beginMobileAuth", "Client/Endpoints/BeginMobileAuth.swift"),
        ("finishMobileAuth", "Client/Endpoints/FinishMobileAuth.swift"),
        ("sendCode", "Client/Endpoints/SendFirst.swift"), ("sendLink", "Client/Endpoints/SendFirst.swift"),
        ("resendCode", "Client/Endpoints/SendAgain.swift"), ("resendLink", "Client/Endpoints/SendAgain.swift"),
        ("sendCodeToOtherNumber", "Client/Endpoints/SendToOtherNumber.swift"),
        ("sendLinkToOtherNumber", "Client/Endpoints/SendToOtherNumber.swift"),
        ("verifyCode", "Client/Endpoints/VerifyOTP.swift"), ("cancelSession", "Client/Endpoints/CancelSession.swift"),
        ("decideLink", "Link/Endpoints/DecideLink.swift"), ("moveClock", "Sandbox/Endpoints/MoveClock.swift"),
        ("completeSession", "Sandbox/Endpoints/CompleteSession.swift"),
        ("redeemOperatorCode", "Sandbox/Operator/Endpoints/RedeemOperatorCode.swift"),
        ("verifyDeviceNumber", "Sandbox/Operator/Endpoints/VerifyDeviceNumber.swift"),
    ]

    @Test(arguments: endpoints)
    func `are the same`(id: String, file: String) throws {
        let text = try String(contentsOf: Self.sources.appending(path: file), encoding: .utf8)
        let operation = try #require(APIDescription.operations(isSandbox: true).first { $0.id == id })
        let schema = try #require(operation.body?.schema.object)
        // The retry key is read for every call of a client (`ClientCalls`).
        let elsewhere: Set<String> = operation.surface == .client ? ["requestId"] : []
        let described = Set(schema["properties"]?.object?.names ?? []).subtracting(elsewhere)
        #expect(described == Self.membersRead(text))
        if operation.surface == .client, let known = Self.knownMembers(text) { #expect(described == known) }
        #expect((schema["additionalProperties"] == nil) == (operation.surface != .client))
    }

    @Test func `every operation with a body is looked at`() {
        let withBody = APIDescription.operations(isSandbox: true).filter { $0.body != nil }.map(\.id)
        let aliases = withBody.filter { $0.hasSuffix("Alias") }
        #expect(Set(withBody).subtracting(aliases) == Set(Self.endpoints.map(\.id)))
    }

    @Test func `helpers ask for what is said of them`() throws {
        for helper in Self.helpers {
            let text = try String(contentsOf: Self.sources.appending(path: helper.file), encoding: .utf8)
            for member in helper.members { #expect(text.contains("\"\(member)\""), "\(helper.call) \(member)") }
        }
    }

    private static func membersRead(_ text: String) -> Set<String> {
        let reads = text.matches(of: /(?:fields\.\w+\(|form\[|form\.says\(|object\[)"(\w+)"/).map { String($0.1) }
        let constants = text.matches(of: /let \w+ = "([a-z]\w*)"/).map { String($0.1) }
        let helped = helpers.filter { text.contains($0.call) }.flatMap(\.members)
        return Set(reads + constants + helped)
    }

    /// What a strict endpoint lets pass.
    private static func knownMembers(_ text: String) -> Set<String>? {
        guard let list = text.firstMatch(of: /(?:known: |members = )\[([^\]]*)\]/)?.1, !list.contains("Self") else {
            return nil
        }
        return Set(list.matches(of: /"(\w+)"/).map { String($0.1) })
    }
}
