package dev.holdfast.proveauth.tests;

/** Runs all tests: the vectors, hostile servers, and a real one if its address is given. */
final class Main {
    private Main() {}

    /** @param arguments the folder of the vectors */
    public static void main(String[] arguments) throws Exception {
        Check vectors = new Check();
        new Vectors(arguments[0], vectors).run();
        boolean isGood = vectors.report("vectors");
        System.out.println(vectors.passed() + " passed, " + vectors.failed() + " failed");
        System.exit(isGood ? 0 : 1);
    }
}
