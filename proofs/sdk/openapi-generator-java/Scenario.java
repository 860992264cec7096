import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import paylinks.ApiClient;
import paylinks.ApiException;
import paylinks.api.PaymentLinksApi;
import paylinks.api.WebhookDeliveriesApi;
import paylinks.api.WebhookEndpointsApi;
import paylinks.model.*;

/** Uses the operations of proofs/sdk/requests.ts, and reads values of a later version. */
public final class Scenario {
  private static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();

  private interface Call {
    Object run() throws ApiException;
  }

  public static void main(String[] arguments) throws ApiException {
    useService();
    PaymentLinksApi future = new PaymentLinksApi(client("PAYLINKS_FUTURE_URL"));
    PaymentLink later = future.getPaymentLink("plink_later");
    check(later.getSource().equals("kiosk"), "a source to come");
    check(later.getTransaction().getStatus().equals("held"), "a status of a transaction to come");
    check(later.getRefunds().get(0).getStatus().equals("recalled"), "a status of a refund to come");
    String code = refusalOf(() -> future.cancelPaymentLink("plink_later")).getCode();
    check(code.equals("code_to_come"), "an error code to come");
    WebhookEvent unknown = parse(System.getenv("PAYLINKS_FUTURE_EVENT"), WebhookEvent.class);
    check(unknown.getType().equals("payment_link.admired"), "an event of a type to come");
    check(unknown.getData().getPaymentLink() == null, "its data");
    check(Map.of("triggeredBy", "kiosk").equals(unknown.getData().getContext()), "a context to come");
  }

  private static void useService() throws ApiException {
    ApiClient service = client("PAYLINKS_BASE_URL");
    var links = new PaymentLinksApi(service);
    var endpoints = new WebhookEndpointsApi(service);
    var deliveries = new WebhookDeliveriesApi(service);
    String locationId = System.getenv("PAYLINKS_LOCATION_ID");
    String reference = "sdk-" + UUID.randomUUID();
    OffsetDateTime since = OffsetDateTime.now(ZoneOffset.ofHours(2)).minusHours(1);
    CreatePaymentLinkRequest request = new CreatePaymentLinkRequest()
        .amount(125.5)
        .description("Cleaning")
        .patient(new CreatePaymentLinkPatient().firstName("Ada").lastName("Byron"))
        .locationId(locationId)
        .externalReference(reference);
    PaymentLink link = links.createPaymentLink(reference, request);
    check(link.getStatus() == PaymentLinkStatus.ACTIVE && link.getPaidAt() == null, "an active link");
    var replay = links.createPaymentLinkWithHttpInfo(reference, request);
    check(replay.getData().equals(link), "the same link");
    check(replay.getHeaders().get("idempotency-replayed").equals(List.of("true")), "a replay");
    String url = "https://example.com/webhooks";
    var newEndpoint = new CreateWebhookEndpointRequest().url(URI.create(url)).enabledEvents(Set.of(SelectableEventType.PAYMENT_LINK_PAID));
    String endpointId = endpoints.createWebhookEndpoint(newEndpoint, null).getId();
    var disabled = endpoints.updateWebhookEndpoint(endpointId, new UpdateWebhookEndpointRequest().enabled(false));
    check(disabled.getStatus() == WebhookEndpoint.StatusEnum.DISABLED, "a disabled endpoint");
    check(disabled.getUrl().toString().equals(url), "its address");
    var outcome = new SimulatePaymentLinkRequest().outcome(SimulatePaymentLinkRequest.OutcomeEnum.PAID);
    check(links.simulatePaymentLink(link.getId(), outcome).getStatus() == PaymentLinkStatus.PAID, "a paid link");
    var listed = links.listPaymentLinks(
        PaymentLinkStatus.PAID, reference, locationId, since, since.plusHours(2), since, 1, 1);
    check(listed.getTotalCount() == 1 && !listed.getHasMore(), "one paid link");
    check(listed.getData().get(0).getId().equals(link.getId()), "the paid link");
    var found = deliveries.listWebhookDeliveries(
        endpointId, link.getId(), WebhookDeliveryStatus.SKIPPED, FilterableEventType.PAYMENT_LINK_PAID, since, 1, 1);
    check(found.getTotalCount() == 1, "one delivery");
    String deliveryId = found.getData().get(0).getId();
    String payload = deliveries.getWebhookDelivery(deliveryId).getPayload();
    var event = parse(payload, WebhookEvent.class);
    check(event.getId().equals(deliveryId) && event.getType().equals("payment_link.paid"), "the event of the payload");
    check(event.getData().getPaymentLink().getId().equals(link.getId()), "the link of the payload");
    var typed = parse(payload, PaymentLinkPaidEvent.class);
    check(typed.getData().getPaymentLink().getTransaction().getStatus().equals("succeeded"), "an event of its type");
    endpoints.deleteWebhookEndpoint(endpointId);
    ApiErrorDetails invalid = refusalOf(() -> links.createPaymentLink(reference + "-invalid", request.amount(0.0)));
    check(invalid.getCode().equals("validation_error") && "amount".equals(invalid.getParam()), "the field of an error");
  }

  private static ApiClient client(String variable) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv(variable));
    String authorization = "Bearer " + System.getenv("PAYLINKS_API_KEY");
    client.setRequestInterceptor(request -> request.header("Authorization", authorization));
    return client;
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

  private static <T> T parse(String json, Class<T> type) {
    try {
      return JSON.readValue(json, type);
    } catch (IOException fault) {
      throw new AssertionError(fault);
    }
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
