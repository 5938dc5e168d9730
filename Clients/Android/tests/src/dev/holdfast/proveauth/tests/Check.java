package dev.holdfast.proveauth.tests;

/** Counts what holds and what does not. */
final class Check {
    private int passed;
    private int failed;

    /** One named test. It may throw whatever it likes. */
    interface Body {
        void run() throws Exception;
    }

    /** What a test expected and did not get. */
    static final class Failure extends Error {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message);
        }
    }

    void test(String name, Body body) {
        try {
            body.run();
            passed += 1;
        } catch (Exception | Error failure) {
            failed += 1;
            System.out.println("FAIL " + name + ": " + failure);
            for (StackTraceElement line : failure.getStackTrace()) {
                if (!(failure instanceof Failure)) {
                    System.out.println("        " + line);
                }
            }
        }
    }

    static void that(boolean holds, String message) {
        if (!holds) {
            throw new Failure(message);
        }
    }

    static void equal(Object got, Object wanted, String what) {
        that(wanted == null ? got == null : wanted.equals(got), what + " is " + got + ", not " + wanted);
    }

    /** Prints the count. @return whether all passed */
    boolean report(String what) {
        System.out.println(what + ": " + passed + " passed, " + failed + " failed");
        return failed == 0 && passed > 0;
    }

    int passed() {
        return passed;
    }

    int failed() {
        return failed;
    }
}
