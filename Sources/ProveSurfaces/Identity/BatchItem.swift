internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// One item of a batch. An error in it does not stop other items.
struct BatchItem<Order: Sendable>: Sendable {
    /// The item as received; without members if it is not an object.
    let sent: JSONObject
    let order: Result<Order, PlatformRefusal>

    init(_ item: JSONValue, _ shape: Shape<Order>) {
        guard let object = item.object else {
            sent = JSONObject()
            order = .failure(.invalidField(.named("items"), reason: "must have objects"))
            return
        }
        sent = object
        do throws(FieldDefect) { order = .success(try shape.read(FieldReader(object))) } catch {
            order = .failure(.invalidField(.named(error.field), reason: error.reason))
        }
    }
}

extension Input {
    /// A list of 1 to `most` items, each read separately.
    static func batch<Order>(of shape: Shape<Order>, most: Int) -> Input where Value == [BatchItem<Order>] {
        Input(batchSchema(shape.schema, most)) { (fields, name) throws(FieldDefect) in
            guard let items = try fields.array(name) else { return nil }
            guard !items.isEmpty else { throw FieldDefect(name, "is empty") }
            guard items.count <= most else { throw FieldDefect(name, "has more than \(most) entries") }
            return items.map { BatchItem($0, shape) }
        }
    }

    private static func batchSchema(_ item: Schema, _ most: Int) -> Schema {
        let other = Schema.anything.with("description", "An item that cannot be read has its error.")
        return Schema.list(of: .any(of: [item, other])).with("minItems", 1).with("maxItems", .integer(Int64(most)))
    }
}
