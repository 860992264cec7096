import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import paylinks.ApiClient;
import paylinks.ApiException;
import paylinks.api.PaymentLinksApi;
import paylinks.api.TestHelpersApi;
import paylinks.api.WebhookDeliveriesApi;
import paylinks.api.WebhookEndpointsApi;
import paylinks.model.ApiError;
import paylinks.model.ApiErrorDetails;
import paylinks.model.CreatePaymentLinkPatient;
import paylinks.model.CreatePaymentLinkRequest;
import paylinks.model.CreateWebhookEndpointRequest;
import paylinks.model.PaymentLink;
import paylinks.model.PaymentLinkPaidEvent;
import paylinks.model.PaymentLinkStatus;
import paylinks.model.SimulatePaymentLinkRequest;
import paylinks.model.SimulateRefundRequest;
import paylinks.model.UpdateWebhookEndpointRequest;
import paylinks.model.WebhookDelivery;
import paylinks.model.WebhookDeliveryStatus;
import paylinks.model.WebhookEndpoint;
import paylinks.model.WebhookEndpointWithSecret;
import paylinks.model.WebhookEvent;

/** Does the steps of scripts/sdk/steps.ts, in their order. */
public final class Scenario {
  private static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();
  private static final ApiClient SERVICE = client("PAYLINKS_BASE_URL");
  private static final PaymentLinksApi LINKS = new PaymentLinksApi(SERVICE);
  private static final WebhookEndpointsApi ENDPOINTS = new WebhookEndpointsApi(SERVICE);
  private static final WebhookDeliveriesApi DELIVERIES = new WebhookDeliveriesApi(SERVICE);
  private static final String LOCATION_ID = System.getenv("PAYLINKS_LOCATION_ID");
  private static final String REFERENCE = "sdk-" + UUID.randomUUID();
  private static final OffsetDateTime SINCE = OffsetDateTime.now(ZoneOffset.ofHours(2)).minusHours(1);

  private interface Call {
    Object run() throws ApiException;
  }

  /** One list page: its ids, and true if more pages follow. */
  private static final class Page {
    private final List<String> ids;
    private final boolean hasMore;

    private Page(List<String> ids, boolean hasMore) {
      this.ids = ids;
      this.hasMore = hasMore;
    }
  }

  private interface PagedList {
    Page get(int page) throws ApiException;
  }

  public static void main(String[] arguments) throws Exception {
    CreatePaymentLinkRequest request = new CreatePaymentLinkRequest()
        .amount(125.5)
        .description("Cleaning")
        .patient(new CreatePaymentLinkPatient().firstName("Ada").lastName("Byron"))
        .locationId(LOCATION_ID)
        .externalReference(REFERENCE);
    PaymentLink link = LINKS.createPaymentLink(REFERENCE, request);
    check(link.getStatus() == PaymentLinkStatus.ACTIVE && link.getPaidAt() == null, "an active link");
    step("create a link");
    var replay = LINKS.createPaymentLinkWithHttpInfo(REFERENCE, request);
    check(replay.getData().equals(link), "the same link");
    check(replay.getHeaders().get("idempotency-replayed").equals(List.of("true")), "a replay");
    step("create it again with the same idempotency key");
    check(LINKS.getPaymentLink(link.getId()).equals(link), "the link as read");
    step("get the link");

    Set<String> ids = new HashSet<>(List.of(link.getId()));
    String paidId = LINKS.createPaymentLink(REFERENCE + "-a", request).getId();
    ids.addAll(List.of(paidId, LINKS.createPaymentLink(REFERENCE + "-b", request).getId()));
    List<String> listed = idsOfPages(number -> {
      var page = LINKS.listPaymentLinks(null, REFERENCE, null, null, null, null, number, 2);
      return new Page(page.getData().stream().map(PaymentLink::getId).collect(Collectors.toList()), page.getHasMore());
    });
    check(listed.size() == 3 && ids.equals(new HashSet<>(listed)), "all links");
    step("list all pages of links");
    payAndRead(paidId);
    check(LINKS.cancelPaymentLink(link.getId()).getStatus() == PaymentLinkStatus.CANCELLED, "a cancelled link");
    step("cancel a link");

    check(refusalOf(() -> LINKS.getPaymentLink("plink_nobody")).getCode().equals("not_found"), "an unknown link");
    step("read the code of an error");
    ApiErrorDetails invalid = refusalOf(() -> LINKS.createPaymentLink(REFERENCE + "-invalid", request.amount(0.0)));
    check(invalid.getCode().equals("validation_error") && "amount".equals(invalid.getParam()), "the field of an error");
    step("read the param of an error");
    PaymentLinksApi future = new PaymentLinksApi(client("PAYLINKS_FUTURE_URL"));
    PaymentLink later = future.getPaymentLink(link.getId());
    check(later.getSource().equals("kiosk"), "a source to come");
    check(later.getTransaction().getStatus().equals("held"), "a status of a transaction to come");
    check(later.getRefunds().get(0).getStatus().equals("recalled"), "a status of a refund to come");
    step("read values of a later version");
    String code = refusalOf(() -> future.cancelPaymentLink(link.getId())).getCode();
    check(code.equals("code_to_come"), "an error code to come");
    step("read an error code of a later version");
    receiveWebhooks();
  }

  /** Pays a link while its endpoint is disabled, so that the deliveries are skipped until they are redelivered. */
  private static void payAndRead(String linkId) throws ApiException {
    String url = "https://example.com/webhooks";
    var endpoint = createEndpoint(url, "payment_link.paid", "payment_link.refunded");
    var other = createEndpoint(url + "/other", "payment_link.expired");
    try {
      List<String> ids = idsOfPages(number -> {
        var page = ENDPOINTS.listWebhookEndpoints(number, 1);
        return new Page(page.getData().stream().map(WebhookEndpoint::getId).collect(Collectors.toList()), page.getHasMore());
      });
      check(ids.containsAll(List.of(endpoint.getId(), other.getId())), "both endpoints");
      step("list all pages of endpoints");
      WebhookEndpoint disabled = enable(endpoint.getId(), false);
      check(disabled.getStatus() == WebhookEndpoint.StatusEnum.DISABLED, "a disabled endpoint");
      check(disabled.getUrl().toString().equals(url), "its address");
      step("disable an endpoint");
      payAndRefund(linkId);
      String deliveryId = readDeliveries(linkId, endpoint.getId());
      enable(endpoint.getId(), true);
      WebhookDelivery again = DELIVERIES.redeliverWebhookDelivery(deliveryId);
      check(again.getId().equals(deliveryId), "the same delivery");
      check(again.getStatus() == WebhookDeliveryStatus.PENDING, "a queued delivery");
      step("redeliver the event");
    } finally {
      ENDPOINTS.deleteWebhookEndpoint(endpoint.getId());
      ENDPOINTS.deleteWebhookEndpoint(other.getId());
    }
  }

  private static WebhookEndpointWithSecret createEndpoint(String url, String... types) throws ApiException {
    var request = new CreateWebhookEndpointRequest().url(URI.create(url)).enabledEvents(Set.of(types));
    return ENDPOINTS.createWebhookEndpoint(request, null);
  }

  private static WebhookEndpoint enable(String id, boolean enabled) throws ApiException {
    return ENDPOINTS.updateWebhookEndpoint(id, new UpdateWebhookEndpointRequest().enabled(enabled));
  }

  private static void payAndRefund(String linkId) throws ApiException {
    var outcome = new SimulatePaymentLinkRequest().outcome(SimulatePaymentLinkRequest.OutcomeEnum.PAID);
    check(LINKS.simulatePaymentLink(linkId, outcome).getStatus() == PaymentLinkStatus.PAID, "a paid link");
    var refunded = new TestHelpersApi(SERVICE).simulateRefund(linkId, new SimulateRefundRequest().amount(25.5));
    check(refunded.getRefunds().get(0).getAmount() == 25.5, "a refund");
    check(refunded.getRefunds().get(0).getStatus().equals("succeeded"), "a refund that succeeded");
    step("simulate a payment and a refund");
    var links = LINKS.listPaymentLinks(
        PaymentLinkStatus.PAID, REFERENCE, LOCATION_ID, SINCE, SINCE.plusHours(2), SINCE, 1, 1);
    check(links.getTotalCount() == 1 && !links.getHasMore(), "one paid link");
    check(links.getData().get(0).getId().equals(linkId), "the paid link");
    step("list links by every filter");
  }

  /** Returns the id of the delivery of the payment. */
  private static String readDeliveries(String linkId, String endpointId) throws ApiException {
    var found = DELIVERIES.listWebhookDeliveries(
        endpointId, linkId, WebhookDeliveryStatus.SKIPPED, "payment_link.paid", SINCE, 1, 1);
    check(found.getTotalCount() == 1, "one delivery");
    String deliveryId = found.getData().get(0).getId();
    step("list deliveries by every filter");
    List<String> ids = idsOfPages(number -> {
      var page = DELIVERIES.listWebhookDeliveries(endpointId, null, null, null, null, number, 1);
      return new Page(page.getData().stream().map(WebhookDelivery::getId).collect(Collectors.toList()), page.getHasMore());
    });
    check(ids.size() == 2 && ids.contains(deliveryId), "both deliveries");
    step("list all pages of deliveries");
    var event = parse(DELIVERIES.getWebhookDelivery(deliveryId).getPayload(), WebhookEvent.class);
    check(event.getId().equals(deliveryId) && event.getType().equals("payment_link.paid"), "the event of the payload");
    check(event.getData().getPaymentLink().getId().equals(linkId), "the link of the payload");
    step("get a delivery with its payload");
    return deliveryId;
  }

  private static void receiveWebhooks() throws Exception {
    byte[] body = raw("known.json").getBytes(StandardCharsets.UTF_8);
    check(isGenuine(body) && !isGenuine(Arrays.copyOf(body, body.length + 1)), "the signature");
    step("verify a signature");
    WebhookEvent known = parse(raw("known.json"), WebhookEvent.class);
    check(known.getType().equals("payment_link.paid"), "a known event");
    check(known.getData().getPaymentLink().getId().startsWith("plink_"), "its link");
    var typed = parse(raw("known.json"), PaymentLinkPaidEvent.class);
    check(typed.getData().getPaymentLink().getTransaction().getStatus().equals("succeeded"), "an event of its type");
    step("parse an event");
    WebhookEvent unknown = parse(raw("unknown-type.json"), WebhookEvent.class);
    check(unknown.getType().equals("payment_link.admired"), "an event of a type to come");
    check(unknown.getData().getPaymentLink() == null, "its data");
    step("parse an event of an unknown type");
    WebhookEvent values = parse(raw("unknown-values.json"), WebhookEvent.class);
    check(values.getData().getPaymentLink().getSource().equals("kiosk"), "an event with values to come");
    check(Map.of("triggeredBy", "kiosk").equals(values.getData().getContext()), "a context to come");
    step("parse an event with unknown values");
  }

  private static boolean isGenuine(byte[] body) {
    String secret = System.getenv("PAYLINKS_WEBHOOK_SECRET");
    return WebhookVerifier.isGenuine(secret, System.getenv("PAYLINKS_SIGNATURE"), body, Instant.now());
  }

  private static ApiClient client(String variable) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv(variable));
    String authorization = "Bearer " + System.getenv("PAYLINKS_API_KEY");
    client.setRequestInterceptor(request -> request.header("Authorization", authorization));
    return client;
  }

  /** Returns the ids of all list pages. */
  private static List<String> idsOfPages(PagedList list) throws ApiException {
    List<String> ids = new ArrayList<>();
    for (int number = 1; ; number++) {
      Page page = list.get(number);
      ids.addAll(page.ids);
      if (!page.hasMore) {
        return ids;
      }
    }
  }

  /** Returns the typed error of a refused call. */
  private static ApiErrorDetails refusalOf(Call call) {
    try {
      call.run();
    } catch (ApiException refusal) {
      return parse(refusal.getResponseBody(), ApiError.class).getError();
    }
    throw new AssertionError("a refusal was taken for a success");
  }

  private static String raw(String name) throws Exception {
    return Files.readString(Path.of(System.getenv("PAYLINKS_SAMPLES"), name));
  }

  private static <T> T parse(String json, Class<T> type) {
    try {
      return JSON.readValue(json, type);
    } catch (IOException fault) {
      throw new AssertionError(fault);
    }
  }

  private static void step(String name) {
    System.out.println("step " + name);
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
