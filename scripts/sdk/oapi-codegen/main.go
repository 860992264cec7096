// Does the steps of scripts/sdk/steps.ts, in their order.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"scenario/paylinks"
	"scenario/webhooks"
)

var (
	ctx        = context.Background()
	service    = client(os.Getenv("PAYLINKS_BASE_URL"))
	locationId = os.Getenv("PAYLINKS_LOCATION_ID")
	reference  = "sdk-" + rand.Text()
	since      = time.Now().Add(-time.Hour).In(time.FixedZone("", 7200))
)

func step(name string) {
	fmt.Println("step", name)
}

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

func client(url string) *paylinks.ClientWithResponses {
	return must(paylinks.NewClientWithResponses(url, paylinks.WithRequestEditorFn(authorize)))
}

// Returns the ids of all list pages.
func idsOfPages(list func(page int32) ([]string, bool)) []string {
	ids, hasMore := list(1)
	for page := int32(2); hasMore; page++ {
		var more []string
		more, hasMore = list(page)
		ids = append(ids, more...)
	}
	return ids
}

func idsOf[T any](items []T, id func(T) string) []string {
	ids := []string{}
	for _, item := range items {
		ids = append(ids, id(item))
	}
	return ids
}

func raw(name string) []byte {
	return must(os.ReadFile(filepath.Join(os.Getenv("PAYLINKS_SAMPLES"), name)))
}

func parse[T any](body []byte) T {
	var value T
	err := json.Unmarshal(body, &value)
	check(err == nil, fmt.Sprint(err))
	return value
}

func createEndpoint(url string, types ...paylinks.PaymentLinkEventType) *paylinks.WebhookEndpointWithSecret {
	request := paylinks.CreateWebhookEndpointRequest{Url: url, EnabledEvents: &types}
	created := must(service.CreateWebhookEndpointWithResponse(ctx, &paylinks.CreateWebhookEndpointParams{}, request)).JSON201
	check(created != nil, "an endpoint")
	return created
}

func enable(id string, enabled bool) *paylinks.WebhookEndpoint {
	request := paylinks.UpdateWebhookEndpointRequest{Enabled: &enabled}
	changed := must(service.UpdateWebhookEndpointWithResponse(ctx, id, request)).JSON200
	check(changed != nil, "a changed endpoint")
	return changed
}

func deleteEndpoint(id string) {
	check(must(service.DeleteWebhookEndpointWithResponse(ctx, id)).StatusCode() == http.StatusNoContent, "a deleted endpoint")
}

// Pays a link while its endpoint is disabled, so that the deliveries are skipped until they are redelivered.
func payAndRead(linkId string) {
	url := "https://example.com/webhooks"
	endpoint := createEndpoint(url, "payment_link.paid", "payment_link.refunded")
	defer deleteEndpoint(endpoint.Id)
	other := createEndpoint(url+"/other", "payment_link.expired")
	defer deleteEndpoint(other.Id)
	one := int32(1)
	ids := idsOfPages(func(number int32) ([]string, bool) {
		query := &paylinks.ListWebhookEndpointsParams{Page: &number, PageSize: &one}
		page := must(service.ListWebhookEndpointsWithResponse(ctx, query)).JSON200
		return idsOf(page.Data, func(each paylinks.WebhookEndpoint) string { return each.Id }), page.HasMore
	})
	check(slices.Contains(ids, endpoint.Id) && slices.Contains(ids, other.Id), "both endpoints")
	step("list all pages of endpoints")
	disabled := enable(endpoint.Id, false)
	check(disabled.Status == "disabled" && disabled.Url == url, "a disabled endpoint")
	step("disable an endpoint")
	payAndRefund(linkId)
	deliveryId := readDeliveries(linkId, endpoint.Id)
	enable(endpoint.Id, true)
	again := must(service.RedeliverWebhookDeliveryWithResponse(ctx, deliveryId)).JSON202
	check(again.Id == deliveryId && again.Status == "pending", "a queued delivery")
	step("redeliver the event")
}

func payAndRefund(linkId string) {
	outcome := paylinks.SimulatePaymentLinkRequest{Outcome: "paid"}
	paid := must(service.SimulatePaymentLinkWithResponse(ctx, linkId, outcome)).JSON200
	check(paid.Status == paylinks.PaymentLinkStatusPaid, "a paid link")
	amount := 25.5
	refunded := must(service.SimulateRefundWithResponse(ctx, linkId, paylinks.SimulateRefundRequest{Amount: &amount})).JSON200
	check(refunded.Refunds[0].Amount == amount && refunded.Refunds[0].Status == "succeeded", "a refund")
	step("simulate a payment and a refund")
	status, one, until := paylinks.PaymentLinkStatusPaid, int32(1), since.Add(2*time.Hour)
	filter := &paylinks.ListPaymentLinksParams{
		Status: &status, ExternalReference: &reference, LocationId: &locationId,
		CreatedAfter: &since, CreatedBefore: &until, PaidAfter: &since, Page: &one, PageSize: &one,
	}
	links := must(service.ListPaymentLinksWithResponse(ctx, filter)).JSON200
	check(links.TotalCount == 1 && !links.HasMore && links.Data[0].Id == linkId, "the paid link")
	step("list links by every filter")
}

// Returns the id of the delivery of the payment.
func readDeliveries(linkId, endpointId string) string {
	status, one, paid := paylinks.WebhookDeliveryStatus("skipped"), int32(1), paylinks.EventType("payment_link.paid")
	filter := &paylinks.ListWebhookDeliveriesParams{
		EndpointId: &endpointId, PaymentLinkId: &linkId, Type: &paid, Status: &status, Since: &since, Page: &one, PageSize: &one,
	}
	found := must(service.ListWebhookDeliveriesWithResponse(ctx, filter)).JSON200
	check(found.TotalCount == 1 && found.Data[0].Type == paid, "the delivery of the payment")
	deliveryId := found.Data[0].Id
	step("list deliveries by every filter")
	ids := idsOfPages(func(number int32) ([]string, bool) {
		query := &paylinks.ListWebhookDeliveriesParams{EndpointId: &endpointId, Page: &number, PageSize: &one}
		page := must(service.ListWebhookDeliveriesWithResponse(ctx, query)).JSON200
		return idsOf(page.Data, func(each paylinks.WebhookDelivery) string { return each.Id }), page.HasMore
	})
	check(len(ids) == 2 && slices.Contains(ids, deliveryId), "both deliveries")
	step("list all pages of deliveries")
	delivery := must(service.GetWebhookDeliveryWithResponse(ctx, deliveryId)).JSON200
	event := parse[paylinks.WebhookEvent]([]byte(delivery.Payload))
	check(event.Id == deliveryId && event.Type == "payment_link.paid" && event.Data.PaymentLink.Id == linkId, "the payload")
	step("get a delivery with its payload")
	return deliveryId
}

func main() {
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
	step("create a link")
	replay := create(reference)
	check(reflect.DeepEqual(replay.JSON201, link), "the same link")
	check(replay.HTTPResponse.Header.Get("Idempotency-Replayed") == "true", "a replay")
	step("create it again with the same idempotency key")
	check(reflect.DeepEqual(must(service.GetPaymentLinkWithResponse(ctx, link.Id)).JSON200, link), "the link as read")
	step("get the link")

	ids := []string{link.Id, create(reference + "-a").JSON201.Id, create(reference + "-b").JSON201.Id}
	two := int32(2)
	listed := idsOfPages(func(number int32) ([]string, bool) {
		query := &paylinks.ListPaymentLinksParams{ExternalReference: &reference, Page: &number, PageSize: &two}
		page := must(service.ListPaymentLinksWithResponse(ctx, query)).JSON200
		return idsOf(page.Data, func(each paylinks.PaymentLink) string { return each.Id }), page.HasMore
	})
	check(slices.Equal(slices.Sorted(slices.Values(listed)), slices.Sorted(slices.Values(ids))), "all links")
	step("list all pages of links")
	payAndRead(ids[1])
	cancelled := must(service.CancelPaymentLinkWithResponse(ctx, link.Id)).JSON200
	check(cancelled.Status == paylinks.PaymentLinkStatusCancelled, "a cancelled link")
	step("cancel a link")

	refusal := must(service.GetPaymentLinkWithResponse(ctx, "plink_nobody")).JSON404
	check(refusal.Error.Code == "not_found", "an unknown link")
	step("read the code of an error")
	request.Amount = 0
	invalid := create(reference + "-invalid").JSON400.Error
	check(invalid.Code == "validation_error" && *invalid.Param == "amount", "the field of an error")
	step("read the param of an error")
	future := client(os.Getenv("PAYLINKS_FUTURE_URL"))
	later := must(future.GetPaymentLinkWithResponse(ctx, link.Id)).JSON200
	check(later.Source == "kiosk" && later.Transaction.Status == "held" && later.Refunds[0].Status == "recalled", "values to come")
	step("read values of a later version")
	check(must(future.CancelPaymentLinkWithResponse(ctx, link.Id)).JSON409.Error.Code == "code_to_come", "an error code to come")
	step("read an error code of a later version")

	body := raw("known.json")
	isGenuine := func(body []byte) bool {
		return webhooks.IsGenuine(os.Getenv("PAYLINKS_WEBHOOK_SECRET"), os.Getenv("PAYLINKS_SIGNATURE"), body, time.Now())
	}
	check(isGenuine(body) && !isGenuine(append(slices.Clone(body), ' ')), "the signature")
	step("verify a signature")
	known := parse[paylinks.WebhookEvent](body)
	check(known.Type == "payment_link.paid" && known.Data.PaymentLink.Id != "", "a known event")
	typed := parse[paylinks.PaymentLinkPaidEvent](body)
	check(typed.Data.PaymentLink.Transaction.Status == "succeeded", "an event of its type")
	step("parse an event")
	unknown := parse[paylinks.WebhookEvent](raw("unknown-type.json"))
	check(unknown.Type == "payment_link.admired" && unknown.Data.PaymentLink == nil, "an event of a type to come")
	step("parse an event of an unknown type")
	values := parse[paylinks.WebhookEvent](raw("unknown-values.json"))
	check(values.Data.PaymentLink.Source == "kiosk" && (*values.Data.Context)["triggeredBy"] == "kiosk", "an event with values to come")
	step("parse an event with unknown values")
}
