internal import StrictJSON

// The output of commands.

/// Writes one line to the standard error, not to the log.
package func printError(_ text: String) {
    StandardStream.write(text + "\n", to: 2)
}

/// Prints an object on one line.
func printJSON(_ object: JSONObject) {
    print(String(decoding: object.serialized(), as: UTF8.self))
}

/// Prints each member of a list in an answer on its own line.
func printLines(of name: String, in answer: JSONObject) {
    for value in answer[name]?.array ?? [] { print(String(decoding: value.serialized(), as: UTF8.self)) }
}
