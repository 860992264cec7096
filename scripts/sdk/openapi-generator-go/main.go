// Uses the operations of scripts/sdk/requests.ts, and reads values of a later version.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"time"

	"scenario/paylinks"
)

var ctx = context.WithValue(context.Background(), paylinks.ContextAccessToken, os.Getenv("PAYLINKS_API_KEY"))

func check(ok bool, what string) {
	if !ok {
		panic("failed: " + what)
	}
}

func must[T any](value T, _ *http.Response, err error) T {
	check(err == nil, fmt.Sprint(err))
	return value
}

func client(variable string) *paylinks.APIClient {
	configuration := paylinks.NewConfiguration()
	configuration.Servers = paylinks.ServerConfigurations{{URL: os.Getenv(variable)}}
	return paylinks.NewAPIClient(configuration)
}

// Returns the typed error of a refused call.
func refusalOf(err error) paylinks.ApiErrorDetails {
	var refusal *paylinks.GenericOpenAPIError
	check(errors.As(err, &refusal), "a refusal has a type")
	model, ok := refusal.Model().(paylinks.ApiError)
	check(ok, "a refusal has a model")
	return model.Error
}

func parse[T any](body string) T {
	var value T
	err := json.Unmarshal([]byte(body), &value)
	check(err == nil, fmt.Sprint(err))
	return value
}

func useService() {
	service := client("PAYLINKS_BASE_URL")
	links, endpoints, deliveries := service.PaymentLinksAPI, service.WebhookEndpointsAPI, service.WebhookDeliveriesAPI
	reference, locationId := "sdk-"+rand.Text(), os.Getenv("PAYLINKS_LOCATION_ID")
	since := time.Now().Add(-time.Hour).In(time.FixedZone("", 7200))
	request := *paylinks.NewCreatePaymentLinkRequest(125.5, "Cleaning", *paylinks.NewCreatePaymentLinkPatient("Ada", "Byron"))
	request.SetLocationId(locationId)
	request.SetExternalReference(reference)
	create := func(key string) (*paylinks.PaymentLink, *http.Response, error) {
		return links.CreatePaymentLink(ctx).IdempotencyKey(key).CreatePaymentLinkRequest(request).Execute()
	}
	link := must(create(reference))
	check(link.Status == paylinks.PAYMENTLINKSTATUS_ACTIVE && link.Amount == 125.5 && link.PaidAt.Get() == nil, "an active link")
	replay, response, err := create(reference)
	check(err == nil && reflect.DeepEqual(replay, link), "the same link")
	check(response.Header.Get("Idempotency-Replayed") == "true", "a replay")
	url := "https://example.com/webhooks"
	newEndpoint := paylinks.NewCreateWebhookEndpointRequest(url)
	newEndpoint.SetEnabledEvents([]paylinks.SelectableEventType{"payment_link.paid"})
	endpoint := must(endpoints.CreateWebhookEndpoint(ctx).CreateWebhookEndpointRequest(*newEndpoint).Execute())
	change := paylinks.NewUpdateWebhookEndpointRequest()
	change.SetEnabled(false)
	disabled := must(endpoints.UpdateWebhookEndpoint(ctx, endpoint.Id).UpdateWebhookEndpointRequest(*change).Execute())
	check(disabled.Status == "disabled" && disabled.Url == url, "a disabled endpoint")
	outcome := *paylinks.NewSimulatePaymentLinkRequest("paid")
	paid := must(links.SimulatePaymentLink(ctx, link.Id).SimulatePaymentLinkRequest(outcome).Execute())
	check(paid.Status == paylinks.PAYMENTLINKSTATUS_PAID, "a paid link")
	listed := must(links.ListPaymentLinks(ctx).Status(paylinks.PAYMENTLINKSTATUS_PAID).
		ExternalReference(reference).LocationId(locationId).
		CreatedAfter(since).CreatedBefore(since.Add(2 * time.Hour)).PaidAfter(since).Page(1).PageSize(1).Execute())
	check(listed.TotalCount == 1 && !listed.HasMore && listed.Data[0].Id == link.Id, "the paid link")
	found := must(deliveries.ListWebhookDeliveries(ctx).EndpointId(endpoint.Id).PaymentLinkId(link.Id).
		Type_("payment_link.paid").Status(paylinks.WEBHOOKDELIVERYSTATUS_SKIPPED).Since(since).Page(1).PageSize(1).Execute())
	check(found.TotalCount == 1 && found.Data[0].Type == "payment_link.paid", "the delivery of the payment")
	deliveryId := found.Data[0].Id
	delivery := must(deliveries.GetWebhookDelivery(ctx, deliveryId).Execute())
	event := parse[paylinks.WebhookEvent](delivery.Payload)
	check(event.Id == deliveryId && event.Type == "payment_link.paid" && event.Data.PaymentLink.Id == link.Id, "the payload")
	typed := parse[paylinks.PaymentLinkPaidEvent](delivery.Payload)
	check(typed.Data.PaymentLink.Transaction.Get().Status == "succeeded", "an event of its type")
	_, err = endpoints.DeleteWebhookEndpoint(ctx, endpoint.Id).Execute()
	check(err == nil, fmt.Sprint(err))
	request.SetAmount(0)
	_, _, err = create(reference + "-invalid")
	invalid := refusalOf(err)
	check(invalid.Code == "validation_error" && invalid.GetParam() == "amount", "the field of an error")
}

func main() {
	useService()
	future := client("PAYLINKS_FUTURE_URL").PaymentLinksAPI
	later := must(future.GetPaymentLink(ctx, "plink_later").Execute())
	check(later.Source == "kiosk" && later.Transaction.Get().Status == "held" && later.Refunds[0].Status == "recalled", "values to come")
	_, _, err := future.CancelPaymentLink(ctx, "plink_later").Execute()
	check(refusalOf(err).Code == "code_to_come", "an error code to come")

	unknown := parse[paylinks.WebhookEvent](os.Getenv("PAYLINKS_FUTURE_EVENT"))
	check(unknown.Type == "payment_link.admired" && unknown.Data.PaymentLink == nil, "an event of a type to come")
	check(unknown.Data.Context["triggeredBy"] == "kiosk", "a context to come")
}
