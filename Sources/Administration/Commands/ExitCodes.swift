package import ArgumentParser

/// The exit status for a wrong configuration: EX_CONFIG of sysexits.
package let configurationExitCode = ExitCode(78)

/// The exit status for bad data in a file: EX_DATAERR of sysexits.
package let badDataExitCode = ExitCode(65)
