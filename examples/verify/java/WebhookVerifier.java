import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies webhooks. Java 17 or newer, JDK only. */
public final class WebhookVerifier {
    private static final long TOLERANCE_SECONDS = 300;

    private WebhookVerifier() {}

    /**
     * Whether a webhook is genuine and recent.
     *
     * @param secret the endpoint's secret, {@code whsec_} included
     * @param header the value of Service-Signature, or null when there is none
     * @param body the body exactly as received, before any parsing
     * @param now {@code Instant.now()} except in tests
     */
    public static boolean isGenuine(String secret, String header, byte[] body, Instant now) {
        List<String> timestamps = new ArrayList<>();
        List<String> signatures = new ArrayList<>();
        for (String part : (header == null ? "" : header).split(",", -1)) {
            if (part.startsWith("t=")) {
                timestamps.add(part.substring(2));
            } else if (part.startsWith("v1=")) {
                signatures.add(part.substring(3));
            }
        }
        if (timestamps.size() != 1 || !timestamps.get(0).matches("[0-9]{1,12}")) {
            return false;
        }
        String timestamp = timestamps.get(0);
        if (Math.abs(now.getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) {
            return false;
        }
        byte[] expected = sign(secret, timestamp, body).getBytes(StandardCharsets.UTF_8);
        // Every signature is compared, each in constant time, so that the time reveals nothing.
        boolean genuine = false;
        for (String signature : signatures) {
            genuine |= MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8));
        }
        return genuine;
    }

    private static String sign(String secret, String timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException impossible) {
            // Every Java platform has HmacSHA256.
            throw new IllegalStateException(impossible);
        }
    }

    /** java WebhookVerifier.java &lt;secret&gt; &lt;header&gt; [&lt;now&gt;] &lt; body */
    public static void main(String[] args) throws IOException {
        if (args.length != 2 && args.length != 3) {
            System.err.println("usage: WebhookVerifier <secret> <Service-Signature> [<unix time>] < body");
            System.exit(2);
        }
        Instant now = args.length == 3 ? Instant.ofEpochSecond(Long.parseLong(args[2])) : Instant.now();
        boolean genuine = isGenuine(args[0], args[1], System.in.readAllBytes(), now);
        System.out.println(genuine ? "genuine" : "not genuine");
        System.exit(genuine ? 0 : 1);
    }
}
