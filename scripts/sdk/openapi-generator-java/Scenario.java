import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import paylinks.ApiClient;
import paylinks.ApiException;
import paylinks.api.PaymentLinksApi;
import paylinks.model.ApiError;
import paylinks.model.CreatePaymentLinkPatient;
import paylinks.model.CreatePaymentLinkRequest;
import paylinks.model.PaymentLinkPaidEvent;
import paylinks.model.PaymentLinkStatus;
import paylinks.model.WebhookEvent;

/** Creates, replays, reads and lists a link, and reads what a later version may send. */
public final class Scenario {
  private static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();

  private interface Call {
    Object run() throws ApiException;
  }

  public static void main(String[] arguments) throws Exception {
    PaymentLinksApi links = client("PAYLINKS_BASE_URL");
    String reference = "sdk-" + UUID.randomUUID();
    CreatePaymentLinkRequest request = new CreatePaymentLinkRequest()
        .amount(125.5)
        .description("Cleaning")
        .patient(new CreatePaymentLinkPatient().firstName("Ada").lastName("Byron"))
        .locationId(System.getenv("PAYLINKS_LOCATION_ID"))
        .externalReference(reference);
    var link = links.createPaymentLink(reference, request);
    check(link.getStatus() == PaymentLinkStatus.ACTIVE && link.getPaidAt() == null, "an active link");
    var replay = links.createPaymentLinkWithHttpInfo(reference, request);
    check(replay.getData().equals(link), "the same link");
    check(replay.getHeaders().get("idempotency-replayed").equals(List.of("true")), "a replay");
    check(links.getPaymentLink(link.getId()).equals(link), "the link as read");

    OffsetDateTime since = OffsetDateTime.now(ZoneOffset.ofHours(2)).minusHours(1);
    var page = links.listPaymentLinks(PaymentLinkStatus.ACTIVE, reference, null, since, null, null, null, null);
    check(page.getTotalCount() == 1 && page.getData().get(0).getId().equals(link.getId()), "the link in the list");
    check(links.cancelPaymentLink(link.getId()).getStatus() == PaymentLinkStatus.CANCELLED, "a cancelled link");
    check(code(() -> links.getPaymentLink("plink_nobody")).equals("not_found"), "an unknown link");

    PaymentLinksApi future = client("PAYLINKS_FUTURE_URL");
    var later = future.getPaymentLink(link.getId());
    check(later.getSource().equals("kiosk"), "a source to come");
    check(later.getTransaction().getStatus().equals("held"), "a status of a transaction to come");
    check(later.getRefunds().get(0).getStatus().equals("recalled"), "a status of a refund to come");
    check(code(() -> future.cancelPaymentLink(link.getId())).equals("code_to_come"), "an error code to come");

    WebhookEvent known = read("known.json", WebhookEvent.class);
    check(known.getType().equals("payment_link.paid"), "a known event");
    check(known.getData().getPaymentLink().getId().startsWith("plink_"), "its link");
    var typed = read("known.json", PaymentLinkPaidEvent.class);
    check(typed.getData().getPaymentLink().getTransaction().getStatus().equals("succeeded"), "an event of its type");
    WebhookEvent unknown = read("unknown-type.json", WebhookEvent.class);
    check(unknown.getType().equals("payment_link.admired"), "an event of a type to come");
    check(unknown.getData().getPaymentLink() == null, "its data");
    WebhookEvent values = read("unknown-values.json", WebhookEvent.class);
    check(values.getData().getPaymentLink().getSource().equals("kiosk"), "an event with values to come");
    check(Map.of("triggeredBy", "kiosk").equals(values.getData().getContext()), "a context to come");
    System.out.println("ok");
  }

  private static PaymentLinksApi client(String variable) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv(variable));
    String authorization = "Bearer " + System.getenv("PAYLINKS_API_KEY");
    client.setRequestInterceptor(request -> request.header("Authorization", authorization));
    return new PaymentLinksApi(client);
  }

  private static String code(Call call) throws Exception {
    try {
      call.run();
    } catch (ApiException refusal) {
      return JSON.readValue(refusal.getResponseBody(), ApiError.class).getError().getCode();
    }
    throw new AssertionError("a refusal was taken for a success");
  }

  private static <T> T read(String name, Class<T> type) throws Exception {
    return JSON.readValue(Files.readString(Path.of(System.getenv("PAYLINKS_SAMPLES"), name)), type);
  }

  private static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }
}
