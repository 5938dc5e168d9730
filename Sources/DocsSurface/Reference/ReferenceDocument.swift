internal import StrictJSON
internal import SurfaceKit

/// An OpenAPI document, as read for the site: its calls, grouped by tag.
struct ReferenceDocument: Sendable {
    struct Call: Sendable {
        let method: String
        let path: String
        let operation: JSONObject

        var id: String { operation["operationId"]?.string ?? "" }
        var summary: String { operation["summary"]?.string ?? "" }
        var about: String { operation["description"]?.string ?? "" }
    }

    struct Group: Sendable {
        let name: String
        let about: String
        let calls: [Call]
    }

    /// The name of the document in URLs, such as `prelude`.
    let name: String
    /// The name of the document for people.
    let heading: String
    /// The URL path of the document itself, such as `/prelude/openapi.json`.
    let path: String
    /// The guide with its errors, such as `errors/prelude`.
    let errors: String
    let object: JSONObject
    let groups: [Group]

    var address: String { SitePath.reference + "/" + name }
    var calls: [Call] { groups.flatMap(\.calls) }
    var about: String { object["info"]?.object?["description"]?.string ?? "" }
    /// Scheme and authority.
    var server: String { (object["servers"]?.array ?? []).first?.object?["url"]?.string ?? "" }

    init(_ source: DocsSurface.Document) {
        name = source.name
        heading = source.heading
        path = source.path
        errors = source.errors
        object = source.make().object
        groups = Self.groups(of: object)
    }

    /// Preflights are left out: browsers send them, and one sentence says so.
    private static func groups(of object: JSONObject) -> [Group] {
        let calls = (object["paths"]?.object?.members ?? []).flatMap { path in
            (path.value.object?.members ?? []).filter { $0.name != "options" }.map {
                Call(method: $0.name.uppercased(), path: path.name, operation: $0.value.object ?? JSONObject())
            }
        }
        return (object["tags"]?.array ?? []).compactMap(\.object).map { tag in
            let name = tag["name"]?.string ?? ""
            return Group(
                name: name, about: tag["description"]?.string ?? "",
                calls: calls.filter { $0.operation["tags"]?.array?.first?.string == name })
        }
    }
}
