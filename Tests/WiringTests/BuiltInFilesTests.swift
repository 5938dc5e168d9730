import BuiltInFiles
import Foundation
import Testing

@testable import Wiring

/// The program starts without a checkout.
@Suite struct BuiltInFilesTests {
    @Test(arguments: [("migrations", ".sql"), ("config/gateways", ".json")])
    func `has each file of the repository`(_ folder: String, _ ending: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: ServerFixture.repository + "/" + folder)
            .filter { $0.hasSuffix(ending) }.sorted()
        let files = BuiltInFile.all(in: folder)
        #expect(files.map(\.name).sorted() == names)
        for file in files {
            #expect(file.bytes == SmallFile.read(ServerFixture.repository + "/\(folder)/\(file.name)"), "\(file.name)")
        }
    }

    @Test func `has each page of the documentation`() throws {
        let folder = ServerFixture.repository + "/docs"
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".md") || $0.hasSuffix(".svg") }.map { "docs/" + $0 }.sorted()
        let files = BuiltInFile.all(below: "docs")
        #expect(files.map(\.path).sorted() == paths)
        for (path, file) in files {
            #expect(file.bytes == SmallFile.read(ServerFixture.repository + "/" + path), "\(path)")
        }
    }

    @Test(arguments: ["sandbox.json", "sandbox-users.json", "texts.json"])
    func `has the configuration of the sandbox`(_ name: String) throws {
        let builtIn = try #require(SmallFile.read("builtin:config/" + name))
        #expect(builtIn == SmallFile.read(ServerFixture.repository + "/config/" + name))
    }

    @Test func `a file that is not built in is missing`() {
        #expect(SmallFile.read("builtin:config/none.json") == nil)
        #expect(SmallFile.read("builtin:sandbox.json") == nil)
        #expect(SmallFile.read("builtin:") == nil)
        #expect(BuiltInPath("config/sandbox.json") == nil)
    }

    @Test func `without file and mode the built-in sandbox runs`() throws {
        let configuration = try ConfigurationPlace(path: nil, flags: [:]).read([:])
        #expect(configuration.mode == .sandbox)
        #expect(configuration.data.directory == "data")
        #expect(configuration.data.migrations == "builtin:migrations")
        #expect(configuration.sandbox?.usersFile == "builtin:config/sandbox-users.json")
        #expect(configuration.texts.file == "builtin:config/texts.json")
        #expect(configuration.sandbox?.clients.isEmpty == false)
        #expect(StartChecks(configuration).mistakes == [])
    }

    @Test func `flags and the environment name another data directory for it`() throws {
        let byFlag = try ConfigurationPlace(path: nil, flags: ["data.directory": "a"]).read([:])
        #expect(byFlag.data.directory == "a")
        let byVariable = try ConfigurationPlace(path: nil, flags: [:]).read(["HOLDFAST_DATA_DIRECTORY": "/b"])
        #expect(byVariable.data.directory == "/b")
    }

    @Test func `a mode in the environment is a configuration of its own`() {
        #expect(throws: ConfigurationFault.self) {
            try ConfigurationPlace(path: nil, flags: [:]).read(["HOLDFAST_MODE": "sandbox"])
        }
    }
}
