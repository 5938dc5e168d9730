package import BuiltInFiles
package import StrictJSON

extension BuiltInPath {
    /// The object in a built-in JSON file, such as `BuiltInPath.linkPages`.
    ///
    /// The file is part of the program and read at its start. If it is missing or broken, the build was wrong: the program
    /// stops and says why.
    package static func object(in path: String) -> JSONObject {
        do throws(JSONError) {
            return try JSONObject.parse(BuiltInPath(path)?.content ?? [], limits: .trusted)
        } catch { fatalError("\(path): \(error.reason), at byte \(error.offset)") }
    }
}
