package dev.holdfast.proveauth.tests;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Stands before the real server, writes down each request, and does harm to answers as a test says. One request a connection. */
final class Proxy implements Closeable {
    private static final Pattern LENGTH = Pattern.compile("(?im)^content-length: *([0-9]+)");
    private static final Pattern PROOF = Pattern.compile("(?im)^dpop: *(\\S+)");
    private static final int MOST_MILLISECONDS = 40_000;

    /** What the client gets for a request. */
    enum Harm {
        NONE,
        /** The server does it, and the connection closes without an answer. */
        LOST,
        /** The server does it, and half of the answer comes. */
        CUT,
        /** The server gets the request twice, each of them whole. */
        TWICE,
        /** The server does not get it; the client gets a 500. */
        FAULT,
        /** The server does not get it; the client gets 429 and {@code Retry-After: 1}. */
        LIMIT,
        /** The server does not get it; the client gets a page of somebody else. */
        PORTAL
    }

    /** Decides about each request. */
    interface Plan {
        /** @param count how often this method and path came before */
        Harm harm(String call, int count);
    }

    /** One request that came. */
    static final class Seen {
        final String call;
        final String proof;
        final String body;

        Seen(String call, String proof, String body) {
            this.call = call;
            this.proof = proof;
            this.body = body;
        }
    }

    private final ServerSocket listener;
    private final int serverPort;
    private final List<Seen> seen = new ArrayList<>();
    private Plan plan = (call, count) -> Harm.NONE;

    Proxy(int port, int serverPort) throws IOException {
        this.serverPort = serverPort;
        listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    synchronized void use(Plan newPlan) {
        seen.clear();
        plan = newPlan;
    }

    synchronized List<Seen> seen() {
        return new ArrayList<>(seen);
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void accept() {
        for (;;) {
            try {
                Socket client = listener.accept();
                start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Socket client) {
        try (Socket open = client) {
            open.setSoTimeout(MOST_MILLISECONDS);
            byte[] request = request(open.getInputStream());
            if (request.length == 0) {
                return;
            }
            String text = new String(request, StandardCharsets.ISO_8859_1);
            Harm harm = decide(text);
            byte[] answer = answer(harm, request);
            if (harm != Harm.LOST) {
                open.getOutputStream().write(answer, 0, harm == Harm.CUT ? answer.length / 2 : answer.length);
                open.getOutputStream().flush();
            }
        } catch (IOException gone) {
            // The client has lost interest.
        }
    }

    private synchronized Harm decide(String text) {
        String line = text.substring(0, text.indexOf('\r'));
        String call = line.substring(0, line.lastIndexOf(' ')).replaceFirst("/client/v1", "");
        int count = 0;
        for (Seen one : seen) {
            count += one.call.equals(call) ? 1 : 0;
        }
        Matcher proof = PROOF.matcher(text);
        seen.add(new Seen(call, proof.find() ? proof.group(1) : "", text.substring(text.indexOf("\r\n\r\n") + 4)));
        return plan.harm(call, count);
    }

    private byte[] answer(Harm harm, byte[] request) throws IOException {
        switch (harm) {
            case FAULT:
                return made("500 Internal Server Error", "", "{\"code\":1000,\"error\":\"internal\",\"message\":\"-\"}");
            case LIMIT:
                return made("429 Too Many Requests", "Retry-After: 1\r\n",
                        "{\"code\":20900,\"error\":\"rate_limited\",\"message\":\"-\"}");
            case PORTAL:
                return made("200 OK", "", "<html>Welcome</html>");
            case TWICE:
                forward(request);
                return forward(request);
            default:
                return forward(request);
        }
    }

    private static byte[] made(String status, String header, String body) {
        return ("HTTP/1.1 " + status + "\r\n" + header + "Connection: close\r\nContent-Length: " + body.length() + "\r\n\r\n"
                + body).getBytes(StandardCharsets.US_ASCII);
    }

    private byte[] forward(byte[] request) throws IOException {
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
            server.setSoTimeout(MOST_MILLISECONDS);
            String text = new String(request, StandardCharsets.ISO_8859_1);
            text = text.replaceFirst("(?im)^connection: .*\r\n", "").replaceFirst("\r\n", "\r\nConnection: close\r\n");
            server.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            server.getOutputStream().flush();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] part = new byte[8192];
            for (int count = server.getInputStream().read(part); count >= 0; count = server.getInputStream().read(part)) {
                out.write(part, 0, count);
            }
            return out.toByteArray();
        }
    }

    /** One whole request; empty if the client left before. */
    private static byte[] request(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            out.write(next);
            String text = next == '\n' ? out.toString("ISO-8859-1").toLowerCase(Locale.ROOT) : "";
            if (text.endsWith("\r\n\r\n")) {
                Matcher length = LENGTH.matcher(text);
                for (int left = length.find() ? Integer.parseInt(length.group(1)) : 0; left > 0; left -= 1) {
                    out.write(in.read());
                }
                return out.toByteArray();
            }
        }
        return new byte[0];
    }
}
