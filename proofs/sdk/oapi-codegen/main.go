// Uses the operations of proofs/sdk/requests.ts, and reads values of a later version.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"time"

	"scenario/paylinks"
)

var ctx = context.Background()

func check(ok bool, what string) {
	if !ok {
		panic("failed: " + what)
	}
}

func must[T any](value T, err error) T {
	check(err == nil, fmt.Sprint(err))
	return value
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("PAYLINKS_API_KEY"))
	return nil
}

func client(variable string) *paylinks.ClientWithResponses {
	return must(paylinks.NewClientWithResponses(os.Getenv(variable), paylinks.WithRequestEditorFn(authorize)))
}

func parse[T any](body string) T {
	var value T
	err := json.Unmarshal([]byte(body), &value)
	check(err == nil, fmt.Sprint(err))
	return value
}

func useService() {
	service := client("PAYLINKS_BASE_URL")
	reference, locationId := "sdk-"+rand.Text(), os.Getenv("PAYLINKS_LOCATION_ID")
	since := time.Now().Add(-time.Hour).In(time.FixedZone("", 7200))
	request := paylinks.CreatePaymentLinkRequest{
		Amount:            125.5,
		Description:       "Cleaning",
		Patient:           paylinks.CreatePaymentLinkPatient{FirstName: "Ada", LastName: "Byron"},
		LocationId:        &locationId,
		ExternalReference: &reference,
	}
	create := func(key string) *paylinks.CreatePaymentLinkResponse {
		return must(service.CreatePaymentLinkWithResponse(ctx, &paylinks.CreatePaymentLinkParams{IdempotencyKey: key}, request))
	}
	link := create(reference).JSON201
	check(link != nil && link.Status == paylinks.PaymentLinkStatusActive && link.Amount == 125.5 && link.PaidAt == nil, "an active link")
	replay := create(reference)
	check(reflect.DeepEqual(replay.JSON201, link), "the same link")
	check(replay.HTTPResponse.Header.Get("Idempotency-Replayed") == "true", "a replay")
	url, types, enabled := "https://example.com/webhooks", []paylinks.SelectableEventType{"payment_link.paid"}, false
	newEndpoint := paylinks.CreateWebhookEndpointRequest{Url: url, EnabledEvents: &types}
	endpoint := must(service.CreateWebhookEndpointWithResponse(ctx, &paylinks.CreateWebhookEndpointParams{}, newEndpoint)).JSON201
	change := paylinks.UpdateWebhookEndpointRequest{Enabled: &enabled}
	disabled := must(service.UpdateWebhookEndpointWithResponse(ctx, endpoint.Id, change)).JSON200
	check(disabled.Status == "disabled" && disabled.Url == url, "a disabled endpoint")
	outcome := paylinks.SimulatePaymentLinkRequest{Outcome: "paid"}
	paid := must(service.SimulatePaymentLinkWithResponse(ctx, link.Id, outcome)).JSON200
	check(paid.Status == paylinks.PaymentLinkStatusPaid, "a paid link")
	one, before := int32(1), since.Add(2*time.Hour)
	links := must(service.ListPaymentLinksWithResponse(ctx, &paylinks.ListPaymentLinksParams{
		Status: &paid.Status, ExternalReference: &reference, LocationId: &locationId,
		CreatedAfter: &since, CreatedBefore: &before, PaidAfter: &since, Page: &one, PageSize: &one,
	})).JSON200
	check(links.TotalCount == 1 && !links.HasMore && links.Data[0].Id == link.Id, "the paid link")
	status, eventType := paylinks.WebhookDeliveryStatus("skipped"), paylinks.FilterableEventType("payment_link.paid")
	deliveries := must(service.ListWebhookDeliveriesWithResponse(ctx, &paylinks.ListWebhookDeliveriesParams{
		EndpointId: &endpoint.Id, PaymentLinkId: &link.Id, Type: &eventType, Status: &status, Since: &since, Page: &one, PageSize: &one,
	})).JSON200
	check(deliveries.TotalCount == 1 && deliveries.Data[0].Type == "payment_link.paid", "the delivery of the payment")
	deliveryId := deliveries.Data[0].Id
	delivery := must(service.GetWebhookDeliveryWithResponse(ctx, deliveryId)).JSON200
	event := parse[paylinks.WebhookEvent](delivery.Payload)
	check(event.Id == deliveryId && event.Type == "payment_link.paid" && event.Data.PaymentLink.Id == link.Id, "the payload")
	typed := parse[paylinks.PaymentLinkPaidEvent](delivery.Payload)
	check(typed.Data.PaymentLink.Transaction.Status == "succeeded", "an event of its type")
	deleted := must(service.DeleteWebhookEndpointWithResponse(ctx, endpoint.Id))
	check(deleted.StatusCode() == http.StatusNoContent, "a deleted endpoint")
	request.Amount = 0
	invalid := create(reference + "-invalid").JSON400.Error
	check(invalid.Code == "validation_error" && *invalid.Param == "amount", "the field of an error")
}

func main() {
	useService()
	future := client("PAYLINKS_FUTURE_URL")
	later := must(future.GetPaymentLinkWithResponse(ctx, "plink_later")).JSON200
	check(later.Source == "kiosk" && later.Transaction.Status == "held" && later.Refunds[0].Status == "recalled", "values to come")
	check(must(future.CancelPaymentLinkWithResponse(ctx, "plink_later")).JSON409.Error.Code == "code_to_come", "an error code to come")

	unknown := parse[paylinks.WebhookEvent](os.Getenv("PAYLINKS_FUTURE_EVENT"))
	check(unknown.Type == "payment_link.admired" && unknown.Data.PaymentLink == nil, "an event of a type to come")
	check((*unknown.Data.Context)["triggeredBy"] == "kiosk", "a context to come")
}
