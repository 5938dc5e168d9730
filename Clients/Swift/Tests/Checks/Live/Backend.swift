import Foundation
import Holdfast

/// The app's backend, and the sandbox's people.
struct Backend: Sendable {
    struct Session: Sendable {
        let correlationID: String
        let authToken: String
    }

    let url: String
    private let transport = URLSessionTransport()
    private let access: String

    static func connected(to url: String) async throws -> Backend {
        let form = "grant_type=client_credentials&client_id=sandbox&client_secret=sandbox-secret"
        let answer = try await Backend(url: url, access: "").call(
            "POST", "/token", body: Data(form.utf8), headers: ["Content-Type": "application/x-www-form-urlencoded"])
        guard let token = answer["access_token"]?.string else { throw Failure("no access token") }
        return Backend(url: url, access: token)
    }

    private init(url: String, access: String) {
        self.url = url
        self.access = access
    }

    func unify(_ number: String?, type: String = "mobile", _ more: [String: JSON] = [:]) async throws -> Session {
        var fields: [String: JSON] = ["possessionType": .string(type), "clientRequestId": .string(UUID().uuidString)]
        if let number { fields["phoneNumber"] = .string(number) }
        let answer = try await post("/v3/unify", fields.merging(more) { $1 })
        guard let id = answer["correlationId"]?.string, let token = answer["authToken"]?.string else {
            throw Failure("unify answers \(answer)")
        }
        return Session(correlationID: id, authToken: token)
    }

    /// `true`, `false`, `pending` or `possession_required`.
    func result(of session: Session) async throws -> String {
        let answer = try await post("/v3/unify-status", ["correlationId": .string(session.correlationID)])
        guard let success = answer["success"]?.string else { throw Failure("unify-status answers \(answer)") }
        return success
    }

    /// The messages of a session, the newest last.
    func messages(of session: Session) async throws -> [JSON] {
        let all = try await call("GET", "/sandbox/messages")["messages"]?.array ?? []
        return all.filter { $0["correlationId"]?.string == session.correlationID }
    }

    /// The person opens the link of the newest message, and approves or denies.
    ///
    /// - Returns: where the phone goes then.
    func openLink(of session: Session, decision: String) async throws -> String {
        guard let link = try await messages(of: session).last?["link"]?.string, let url = URL(string: link) else {
            throw Failure("no link has come")
        }
        let request = HTTPRequest(
            method: "POST", url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Data("decision=\(decision)".utf8))
        let response = try await transport.response(to: request)
        guard response.status == 303, let target = response.header("Location") else {
            throw Failure("the link's page answers \(response.status)")
        }
        return target
    }

    /// Token that the phone of this number gets from its operator.
    func operatorToken(of number: String) async throws -> OperatorToken {
        let given = try await call(
            "POST", "/sandbox/operator/operator-token", body: Data("login_hint=tel:%2B1\(number)".utf8),
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        guard let text = given["operator_token"]?.string, let plmn = given["plmn"]?.string else {
            throw Failure("no token: \(given)")
        }
        return OperatorToken(text, plmn: plmn)
    }

    private func post(_ path: String, _ fields: [String: JSON]) async throws -> JSON {
        try await call(
            "POST", path, body: try JSON.object(fields).data,
            headers: ["Content-Type": "application/json", "Authorization": "Bearer \(access)"])
    }

    private func call(
        _ method: String, _ path: String, body: Data? = nil, headers: [String: String] = [:]
    ) async throws -> JSON {
        guard let address = URL(string: url + path) else { throw Failure("no URL: \(url)") }
        let request = HTTPRequest(method: method, url: address, headers: headers, body: body)
        return try JSON(try await transport.response(to: request).body)
    }
}
