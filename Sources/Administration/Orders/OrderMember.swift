internal import Possession
internal import StrictJSON

/// A member of an order: its name, its value, and the property that has it. It is written and read by this one
/// declaration. A member that is unknown, absent without being optional, or invalid makes the order malformed.
struct OrderMember<Order: Sendable, Value: Sendable>: Sendable {
    typealias Path<Property> = any KeyPath<Order, Property> & Sendable

    let isInPath: Bool
    let take: @Sendable (inout OrderFields) throws(Administrator.Refusal) -> Value
    let put: @Sendable (Order, inout OrderFields) -> Void

    /// Members that depend on each other, or that have no fixed name.
    init(
        isInPath: Bool = false, take: @escaping @Sendable (inout OrderFields) throws(Administrator.Refusal) -> Value,
        put: @escaping @Sendable (Order, inout OrderFields) -> Void
    ) {
        self.isInPath = isInPath
        self.take = take
        self.put = put
    }

    static func required(_ name: String, _ form: OrderValue<Value>, _ path: Path<Value>) -> OrderMember {
        OrderMember { (fields) throws(Administrator.Refusal) in
            guard let value = try fields.take(name).flatMap(form.read) else { throw .malformed }
            return value
        } put: {
            $1.body?[name] = form.write($0[keyPath: path])
        }
    }

    /// A member that may be absent, but not `null`.
    static func optional<Present: Sendable>(
        _ name: String, _ form: OrderValue<Present>, _ path: Path<Present?>
    ) -> OrderMember where Value == Present? {
        OrderMember { (fields) throws(Administrator.Refusal) in
            guard let value = try fields.take(name) else { return nil }
            guard let read = form.read(value) else { throw .malformed }
            return read
        } put: {
            $1.body?[name] = $0[keyPath: path].map(form.write)
        }
    }

    /// A member with a value that holds if it is absent. A command always writes it.
    static func optional(
        _ name: String, _ form: OrderValue<Value>, _ path: Path<Value>, or standard: Value
    ) -> OrderMember {
        OrderMember { (fields) throws(Administrator.Refusal) in
            guard let value = try fields.take(name) else { return standard }
            guard let read = form.read(value) else { throw .malformed }
            return read
        } put: {
            $1.body?[name] = form.write($0[keyPath: path])
        }
    }

    /// The segment of the path at `{id}`.
    static func id(
        _ form: OrderValue<Value>, _ path: Path<Value>, orRefuse refusal: Administrator.Refusal
    ) -> OrderMember {
        OrderMember(isInPath: true) { (fields) throws(Administrator.Refusal) in
            guard let value = fields.id.flatMap({ form.read(.string($0)) }) else { throw refusal }
            return value
        } put: {
            $1.id = form.write($0[keyPath: path]).string
        }
    }

    /// A number or an address, as `phoneNumber` or `emailAddress`.
    static func target(_ path: Path<Target>) -> OrderMember where Value == Target {
        OrderMember { (fields) throws(Administrator.Refusal) in
            guard let target = try Target(&fields) else { throw .malformed }
            return target
        } put: {
            $1.body?.set($0[keyPath: path])
        }
    }

    static func optionalTarget(_ path: Path<Target?>) -> OrderMember where Value == Target? {
        OrderMember { (fields) throws(Administrator.Refusal) in
            try Target(&fields)
        } put: {
            if let target = $0[keyPath: path] { $1.body?.set(target) }
        }
    }
}

extension OrderMember where Value == ClientID {
    /// The API client in the path.
    static func client(_ path: Path<ClientID>) -> OrderMember {
        .id(.client, path, orRefuse: .unknownClient)
    }
}

extension JSONObject {
    /// Sets the unmasked number or address, under the name of its kind.
    fileprivate mutating func set(_ target: Target) {
        set(target.number == nil ? "emailAddress" : "phoneNumber", target.text)
    }
}

extension Target {
    /// Takes the number or the address; `nil`: neither is there. If both are there, the second one is left over.
    fileprivate init?(_ fields: inout OrderFields) throws(Administrator.Refusal) {
        if let number = try fields.take("phoneNumber") {
            guard let number = number.string.flatMap({ PhoneNumber(e164: $0) }) else { throw .malformed }
            self = .number(number)
        } else if let address = try fields.take("emailAddress") {
            guard let address = address.string.flatMap({ EmailAddress($0) }) else { throw .malformed }
            self = .email(address)
        } else {
            return nil
        }
    }
}
