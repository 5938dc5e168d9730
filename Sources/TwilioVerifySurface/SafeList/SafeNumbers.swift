internal import Engine
internal import Possession
internal import SurfaceKit

/// A number on an API client's list, as callers see it.
struct SafeNumber: Sendable {
    let number: PhoneNumber
    let sid: SID
    let url: String

    static let reply = Reply<Self>(name: "SafeNumber", example: example) {
        ReplyMember.always(
            "sid", .sid(.safeNumber), "Names the number for this account. Another account has another SID for it."
        ) { $0.sid }
        ReplyMember.always("phone_number", .text, "In E.164.") { $0.number.e164 }
        ReplyMember.always("url", .text(.text(format: "uri")), "The URL that reads or removes the number.") { $0.url }
    }

    static let example: StaticString = """
        {"sid":"GN0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e","phone_number":"+12001004014",\
        "url":"http://127.0.0.1:8080/twilio-verify/v2/SafeList/Numbers/%2B12001004014"}
        """
}

/// The list of allowed numbers of an API client. All surfaces share it.
struct SafeNumbers: Sendable {
    let lists: NumberLists
    let engine: Engine
    let publicURL: String

    /// - Throws: `.parameter`: also if the list is full.
    func add(_ text: String, for caller: TwilioCaller) async throws(TwilioError) -> SafeNumber {
        let number = try engine.submitted(text, "PhoneNumber", for: caller.tenant.id).number
        let isAdded = try await TwilioError.running { () async throws(EngineFault) in
            try await lists.add(number, to: .allowed, of: caller.tenant.id)
        }
        guard isAdded else {
            throw .parameter(FieldDefect("PhoneNumber", "has no room: a list has at most \(NumberList.most) numbers"))
        }
        return document(of: number, caller)
    }

    /// - Throws: `.notFound`: the number is not on the list.
    func number(_ text: String, of caller: TwilioCaller) async throws(TwilioError) -> SafeNumber {
        let number = try engine.known(text, "PhoneNumber", for: caller.tenant.id)
        let isListed = try await TwilioError.running { () async throws(EngineFault) in
            try await lists.contains(number, .allowed, of: caller.tenant.id)
        }
        guard isListed else { throw .notFound }
        return document(of: number, caller)
    }

    /// - Throws: `.notFound`: the number is not on the list.
    func remove(_ text: String, of caller: TwilioCaller) async throws(TwilioError) {
        let number = try await number(text, of: caller).number
        try await TwilioError.running { () async throws(EngineFault) in
            try await lists.remove(number, from: .allowed, of: caller.tenant.id)
        }
    }

    /// - Throws: `.blocked`: the API client's lists block messages to the number.
    func check(_ number: PhoneNumber, for tenant: ClientID) async throws(TwilioError) {
        let isBlocked = try await TwilioError.running { () async throws(EngineFault) in
            try await lists.block(number, of: tenant)
        }
        if isBlocked { throw .blocked }
    }

    private func document(of number: PhoneNumber, _ caller: TwilioCaller) -> SafeNumber {
        let digits = number.e164.utf8.dropFirst()
        return SafeNumber(
            number: number, sid: SID(.safeNumber, engine.crypto.keyed.subject(.number(number), caller.tenant.id)),
            url: "\(publicURL)\(TwilioPath.safeList)/%2B\(String(decoding: digits, as: UTF8.self))")
    }
}
