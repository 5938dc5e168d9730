package dev.holdfast.proveauth.tests;

import java.util.Map;
import java.util.TreeMap;

/** Runs all tests: the vectors, hostile worlds, and a real server if there is one ({@code SANDBOX_URL}, {@code PROXY_PORT}). */
final class Main {
    private static final int SEEDS = 1_000;

    private Main() {}

    /** @param arguments the folder of the vectors */
    public static void main(String[] arguments) throws Exception {
        Check vectors = new Check();
        Vectors files = new Vectors(arguments[0], vectors);
        files.run();
        boolean isGood = vectors.report("vectors");
        Check hostile = new Check();
        hostile(files.token(), hostile);
        isGood &= hostile.report("hostile worlds");
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
        System.out.println(
                vectors.passed() + hostile.passed() + real.passed() + " passed, "
                + (vectors.failed() + hostile.failed() + real.failed()) + " failed");
        System.exit(isGood ? 0 : 1);
    }

    /** Each seed is a test; the ends are counted, so that all of them are seen to come. */
    private static void hostile(String token, Check check) {
        Map<String, Integer> ends = new TreeMap<>();
        for (long seed = 0; seed < SEEDS; seed += 1) {
            long one = seed;
            check.test("hostile: seed " + seed, () -> {
                HostileWorld world = new HostileWorld(one, token);
                String end = world.play();
                ends.merge(end, 1, Integer::sum);
                Check.that(!world.isEndless() || end.matches("too_many_steps|step_invalid|link_expired|cancelled"), "an endless world ends by " + end);
            });
        }
        System.out.println("hostile ends: " + ends);
    }
}
