package dev.holdfast.proveauth.tests;

/** Runs all tests: the vectors, and a real server if there is one ({@code SANDBOX_URL}, {@code PROXY_PORT}). */
final class Main {
    private Main() {}

    /** @param arguments the folder of the vectors */
    public static void main(String[] arguments) throws Exception {
        Check vectors = new Check();
        new Vectors(arguments[0], vectors).run();
        boolean isGood = vectors.report("vectors");
        Check real = new Check();
        String url = System.getenv("SANDBOX_URL");
        if (url != null) {
            int port = Integer.parseInt(url.replaceFirst(".*:", ""));
            try (Proxy proxy = new Proxy(Integer.parseInt(System.getenv("PROXY_PORT")), port)) {
                Sandbox sandbox = new Sandbox(url);
                new RealRuns(sandbox, proxy, real).run();
                new HarmedRuns(sandbox, proxy, real).run();
            }
            isGood &= real.report("real server");
        }
        System.out.println(vectors.passed() + real.passed() + " passed, " + (vectors.failed() + real.failed()) + " failed");
        System.exit(isGood ? 0 : 1);
    }
}
