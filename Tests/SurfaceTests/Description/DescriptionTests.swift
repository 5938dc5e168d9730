import HTTPServer
import StrictJSON
import SurfaceKit
import Testing

@testable import ServerDescription
@testable import SurfaceTestSupport

/// Each document of the API description, against the routes and errors that there are, and by the rules for all documents.
@Suite(.timeLimit(.minutes(60))) struct DescriptionTests {
    @Test(arguments: DescribedSurface.allCases)
    func `describes each call once, and no other route`(surface: DescribedSurface) async throws {
        let described = surface.operations.map { "\($0.method.text) \($0.path)" }
        let routes = try await surface.routes().filter { $0.method != .head }
        let there = Set(routes.map { "\($0.method.text) \($0.pattern)" })
        #expect(Set(described).count == described.count)
        #expect(Set(described).subtracting(there).sorted() == [], "no route")
        let undescribed = there.subtracting(described).sorted()
        #expect(undescribed.count == surface.undescribedRoutes, "\(undescribed)")
    }

    @Test(arguments: DescribedSurface.allCases)
    func `operation ids are unique, and paths name their parameters`(surface: DescribedSurface) {
        let operations = surface.operations
        #expect(Set(operations.map(\.id)).count == operations.count)
        for operation in operations {
            let named = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                $0.dropFirst().dropLast()
            }
            let described = operation.parameters.filter { $0.place == .path }.map(\.field.name)
            #expect(named.map(String.init) == described, "\(operation.id)")
        }
    }

    @Test(arguments: DescribedSurface.allCases)
    func `each error is described by one of the calls of its surface`(surface: DescribedSurface) {
        for (group, response, name) in surface.errors {
            let isDescribed = surface.operations.contains { operation in
                (group == nil || operation.surface == group)
                    && surface.answers.defects(of: response, method: operation.method, pattern: operation.path).isEmpty
            }
            #expect(isDescribed, "\(response.status) \(name)")
        }
    }

    @Test(arguments: DescribedSurface.allCases) func `examples are valid`(surface: DescribedSurface) {
        let check = OpenAPISchemaCheck(surface.document)
        let contents = surface.operations.flatMap { $0.answers.compactMap(\.content) + [$0.body].compactMap { $0 } }
        let examples = contents.compactMap { content in content.example.map { ($0, content.schema.object) } }
        for (example, schema) in examples { #expect(check.defects(of: example, schema) == []) }
        #expect(examples.count >= surface.fewestExamples)
    }

    @Test(arguments: DescribedSurface.allCases) func `names the server's version`(surface: DescribedSurface) {
        #expect(surface.document["info"]?.object?["version"] == .string(World.version))
    }

    @Test(arguments: DescribedSurface.allCases) func `every field is described`(surface: DescribedSurface) {
        #expect(undescribedFields(surface.document) == [])
    }

    @Test(arguments: DescribedSurface.allCases) func `a name stands for one schema`(surface: DescribedSurface) {
        for (name, definitions) in Dictionary(grouping: surface.description.definitions, by: \.name) {
            #expect(definitions.allSatisfy { $0 == definitions[0] }, "\(name)")
        }
    }

    @Test(arguments: DescribedSurface.allCases)
    func `requests have no null, and no enum has an empty text`(surface: DescribedSurface) {
        for operation in surface.operations {
            let schemas = operation.parameters.map(\.field.schema) + [operation.body?.schema].compactMap { $0 }
            for schema in schemas {
                let all = [schema.object] + schema.definitions.map(\.object)
                for object in all.flatMap({ objects(in: .object($0)) }) {
                    #expect(object["type"]?.array?.contains("null") != true, "\(operation.id): \(object)")
                    #expect(object["enum"]?.array?.contains(.string("")) != true, "\(operation.id): \(object)")
                }
            }
        }
    }

    @Test(arguments: DescribedSurface.allCases) func `every reference is resolved`(surface: DescribedSurface) {
        let text = String(decoding: surface.document.serialized(), as: UTF8.self)
        let check = OpenAPISchemaCheck(surface.document)
        for part in text.split(separator: "\"").filter({ $0.hasPrefix("#/components/") }) {
            #expect(check.resolve(String(part)) != nil, "\(part)")
        }
    }

    @Test(arguments: DescribedSurface.allCases)
    func `no schema is of the type null alone, and every enum has a type`(surface: DescribedSurface) {
        let schemas = objects(in: .object(surface.document))
        for schema in schemas {
            #expect(schema["type"] != "null", "\(schema)")
            #expect(schema["enum"] == nil || schema["type"] != nil, "\(schema)")
        }
        #expect(schemas.contains { $0["enum"] != nil })
    }

    @Test(arguments: DescribedSurface.allCases)
    func `an error is a named schema, and no response has one of its own`(surface: DescribedSurface) {
        let names = Set(surface.description.definitions.map { "#/components/schemas/\($0.name)" })
        var errors = 0
        for operation in surface.operations {
            let responses = surface.answers.operation(operation.method, operation.path)?["responses"]?.object?.members
            for response in responses ?? [] where response.name >= "400" {
                guard let media = response.value.object?["content"]?.object?["application/json"]?.object else {
                    continue
                }
                errors += 1
                let schema = media["schema"]?.object
                #expect(schema?.names == ["$ref"] && names.contains(schema?["$ref"]?.string ?? ""), "\(operation.id)")
            }
        }
        #expect(errors >= surface.operations.count, "\(errors) of \(surface.operations.count)")
    }
}

/// Every object within a value, itself included.
func objects(in value: JSONValue) -> [JSONObject] {
    switch value {
    case .object(let object): [object] + object.members.flatMap { objects(in: $0.value) }
    case .array(let values): values.flatMap(objects)
    default: []
    }
}
