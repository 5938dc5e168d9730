import HTTPServer
import Engine
import Possession
import StrictJSON
import SurfaceKit

@testable import SurfaceTestSupport

/// A wire format of nobody, which proves the seam for those of vendors: a backend has a code sent to a number, and checks it.
///
///     POST /toy/codes   {"phone":"+12001004014"}                  ->  {"id":"019b..."}
///     POST /toy/checks  {"phone":"+12001004014","code":"123456"}  ->  {"passed":true}
struct ToySurface {
    private let backends: BackendGate<Tenant, ToyError>
    private let verifications: Verifications

    init(engine: Engine, logins: ClientLogin) {
        verifications = Verifications(engine)
        backends = BackendGate(
            checkHead: { request throws(ToyError) in _ = try Self.key(of: request) },
            admit: { request throws(ToyError) in
                let key = try Self.key(of: request)
                do throws(ClientLogin.Refusal) { return try await logins.caller(byKey: key, request) } catch {
                    throw ToyError(error)
                }
            }, report: engine.reports.log)
    }

    var routes: [Route] {
        backends.routes(SendToyCode(verifications: verifications))
            + backends.routes(CheckToyCode(verifications: verifications))
    }

    private static func key(of request: Request) throws(ToyError) -> String {
        guard let key = request.headers["x-toy-key"] else { throw .unauthorized }
        return key
    }
}

protocol ToyEndpoint: Endpoint where Caller == Tenant, Failure == ToyError, Refusal == ToyError {}

struct SendToyCode: ToyEndpoint {
    let verifications: Verifications

    static let call = Call(.post, "/toy/codes", id: "sendToyCode", "Send a code", "", body: .json(), demand: .begins)
    static let body = Shape("") { Member.required("phone", .filledText(.phoneNumber)) { $0 = $1 } }
    static let reply = Reply<CorrelationID> { ReplyMember.always("id", .identifier()) { $0 } }

    func respond(to phone: String, of request: Request, from tenant: Tenant) async throws(ToyError) -> CorrelationID {
        try await ToyError.sending { () async throws(SendRefusal) in
            var order = VerificationOrder(.toy, to: try verifications.recipient(phone, for: tenant))
            order.code = .init(length: 4, lifetimeSeconds: 120, tries: 3)
            order.reuse = .whileOpen
            return try await verifications.start(order, for: tenant)
        }.message.session.correlationID
    }
}

struct CheckToyCode: ToyEndpoint {
    struct Order {
        var phone = ""
        var code = ""
    }

    let verifications: Verifications

    static let call = Call(.post, "/toy/checks", id: "checkToyCode", "Check a code", "", body: .json())
    static let body = Shape(Order()) {
        Member.required("phone", .filledText(.phoneNumber)) { $0.phone = $1 }
        Member.required("code", .filledText(.any)) { $0.code = $1 }
    }
    static let reply = Reply<Bool> { ReplyMember.always("passed", .flag) { $0 } }

    func respond(to order: Order, of request: Request, from tenant: Tenant) async throws(ToyError) -> Bool {
        guard let code = OTP(order.code), let number = PhoneNumber(e164: order.phone) else { return false }
        let result = try await ToyError.running { () async throws(EngineFault) in
            try await verifications.check(code, on: .target(.number(number)), of: .toy, for: tenant.id)
        }
        switch result {
        case .passed: return true
        case .wrong, .impossible, .stopped: return false
        case .late, .over, .noSession, .notAwaited, .otherPayment, .retryKeyReused: throw .noSession
        case .limited(let hit): throw .rateLimited(hit)
        }
    }
}

extension Product {
    fileprivate static let toy = {
        var product = Product(.toy, number: .orMobileAuth)
        product.isFoundByNumber = true
        return product
    }()
}

extension ProductName {
    static let toy = ProductName(known: "toy")
}

enum ToyError: SendError {
    case body(BodyDefect)
    case field(FieldDefect)
    case unauthorized
    case noSession
    case rateLimited(LimitHit)
    case refused
    case overloaded
    case internalFault(String)

    static let certificateMissing = Self.unauthorized

    init(_ defect: BodyDefect) { self = .body(defect) }
    init(_ defect: FieldDefect) { self = .field(defect) }

    init(_ refusal: SendRefusal) {
        switch refusal {
        case .malformedNumber, .numberNotServed, .lineRefused, .countryClosed:
            self = .field(FieldDefect("phone", "gets no messages"))
        case .startsLimited(let hit), .sendLimited(let hit, _): self = .rateLimited(hit)
        case .engine(let fault): self.init(fault)
        default: self = .refused
        }
    }

    private var entry: (status: Int, word: String) {
        switch self {
        case .body(let defect): (defect.status, defect.message)
        case .field(let defect): (400, defect.message)
        case .unauthorized: (401, "who are you")
        case .noSession: (404, "no code was sent")
        case .rateLimited(let hit): (429, hit.message)
        case .refused: (409, "no message was sent")
        case .overloaded: (503, "busy")
        case .internalFault: (500, "broken")
        }
    }

    var response: Response { .json(entry.status, ["word": .string(entry.word)]) }
    var report: String? { if case .internalFault(let reason) = self { reason } else { nil } }
}
