internal import StrictJSON

/// The request of an order: method, path, and the members by which a command writes it and the server reads it.
///
///     static let call = OrderCall(
///         .post, "/control/guard/close", Self.init, .required("prefix", .prefix, \.prefix),
///         .required("hours", .integer(hours), \.hours))
struct OrderCall<Order: Sendable>: Sendable {
    enum Body: Sendable {
        /// The body is an object if the order has members in it. If it has none, a body is ignored.
        case ofMembers
        /// As `ofMembers`, but an order whose members are all absent has no body at all, not an empty object.
        case absentIfEmpty
    }

    let method: OrderMethod
    /// Segments are literal, or `{id}` once.
    let path: String
    /// The status of the answer if the order was carried out.
    let status: Int
    private let hasBody: Bool
    private let body: Body
    private let make: @Sendable (inout OrderFields) throws(Administrator.Refusal) -> Order
    private let put: @Sendable (Order, inout OrderFields) -> Void

    /// - Parameters:
    ///   - make: makes the order of its members: usually the memberwise initializer.
    ///   - members: in the order of `make`. Those of the path come first.
    init<each Value: Sendable>(
        _ method: OrderMethod, _ path: String, status: Int = 200, body: Body = .ofMembers,
        _ make: @escaping @Sendable (repeat each Value) -> Order, _ members: repeat OrderMember<Order, each Value>
    ) {
        self.method = method
        self.path = path
        self.status = status
        self.body = body
        var hasBody = false
        for member in repeat each members { hasBody = hasBody || !member.isInPath }
        self.hasBody = hasBody
        self.make = { (fields) throws(Administrator.Refusal) in make(repeat try (each members).take(&fields)) }
        put = { order, fields in repeat (each members).put(order, &fields) }
    }

    /// Reads the order of a request.
    /// - Parameter id: the segment of the path at `{id}`.
    /// - Throws: the refusal of a wrong path; `.malformed` for a body of another form.
    func read(_ bytes: [UInt8], id: String? = nil) throws(Administrator.Refusal) -> Order {
        var fields = OrderFields(id: id)
        if hasBody, !(bytes.isEmpty && body == .absentIfEmpty) {
            fields.body = try? JSONObject.parse(bytes)
            if body == .absentIfEmpty, fields.body?.isEmpty == true { fields.body = nil }
        } else {
            fields.body = JSONObject()
        }
        let order = try make(&fields)
        guard fields.body?.isEmpty == true else { throw .malformed }
        return order
    }

    /// The path and the body of an order: what `read` takes.
    func written(_ order: Order) -> (path: String, body: [UInt8]) {
        var fields = OrderFields(body: JSONObject())
        put(order, &fields)
        let object = fields.body ?? JSONObject()
        let isAbsent = !hasBody || (body == .absentIfEmpty && object.isEmpty)
        return (path(fields.id ?? ""), isAbsent ? [] : object.serialized())
    }

    private func path(_ id: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { $0.elementsEqual("{id}".utf8) ? id : String(decoding: $0, as: UTF8.self) }
            .joined(separator: "/")
    }
}

/// Orders that only read, and have nothing personal in them, are GET.
enum OrderMethod: String, Sendable {
    case get = "GET"
    case post = "POST"
}

/// The parts of a request that members have not taken yet, or that they have put there.
struct OrderFields {
    /// The segment of the path at `{id}`.
    var id: String?
    /// `nil`: the body is no object.
    var body: JSONObject?

    /// Takes the value of a member out of the body; `nil`: the member is absent.
    mutating func take(_ name: String) throws(Administrator.Refusal) -> JSONValue? {
        guard let value = body?[name] else {
            if body == nil { throw .malformed }
            return nil
        }
        body?[name] = nil
        return value
    }

    /// Takes all members that are left.
    mutating func takeAll() throws(Administrator.Refusal) -> JSONObject {
        guard let object = body else { throw .malformed }
        body = JSONObject()
        return object
    }
}

extension Administrator.Refusal {
    /// The body is not one of this order.
    static let malformed = invalid("the body is no such order")
}
