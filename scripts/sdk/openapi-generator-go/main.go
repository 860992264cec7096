// Does the steps of scripts/sdk/steps.ts, in their order.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
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
	ctx       = context.WithValue(context.Background(), paylinks.ContextAccessToken, os.Getenv("PAYLINKS_API_KEY"))
	service   = client(os.Getenv("PAYLINKS_BASE_URL"))
	reference = "sdk-" + rand.Text()
	since     = time.Now().Add(-time.Hour).In(time.FixedZone("", 7200))
)

func step(name string) {
	fmt.Println("step", name)
}

func check(ok bool, what string) {
	if !ok {
		panic("failed: " + what)
	}
}

func must[T any](value T, _ *http.Response, err error) T {
	check(err == nil, fmt.Sprint(err))
	return value
}

func client(url string) *paylinks.APIClient {
	configuration := paylinks.NewConfiguration()
	configuration.Servers = paylinks.ServerConfigurations{{URL: url}}
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
	body, err := os.ReadFile(filepath.Join(os.Getenv("PAYLINKS_SAMPLES"), name))
	check(err == nil, fmt.Sprint(err))
	return body
}

func parse[T any](body []byte) T {
	var value T
	err := json.Unmarshal(body, &value)
	check(err == nil, fmt.Sprint(err))
	return value
}

func createEndpoint(url string, types ...string) *paylinks.WebhookEndpointWithSecret {
	request := paylinks.NewCreateWebhookEndpointRequest(url)
	request.SetEnabledEvents(types)
	return must(service.WebhookEndpointsAPI.CreateWebhookEndpoint(ctx).CreateWebhookEndpointRequest(*request).Execute())
}

func enable(id string, enabled bool) *paylinks.WebhookEndpoint {
	request := paylinks.NewUpdateWebhookEndpointRequest()
	request.SetEnabled(enabled)
	return must(service.WebhookEndpointsAPI.UpdateWebhookEndpoint(ctx, id).UpdateWebhookEndpointRequest(*request).Execute())
}

func deleteEndpoint(id string) {
	_, err := service.WebhookEndpointsAPI.DeleteWebhookEndpoint(ctx, id).Execute()
	check(err == nil, fmt.Sprint(err))
}

// Pays a link while its endpoint is disabled, so that the deliveries are skipped until they are redelivered.
func payAndRead(linkId string) {
	url := "https://example.com/webhooks"
	endpoint := createEndpoint(url, "payment_link.paid", "payment_link.refunded")
	defer deleteEndpoint(endpoint.Id)
	other := createEndpoint(url+"/other", "payment_link.expired")
	defer deleteEndpoint(other.Id)
	ids := idsOfPages(func(number int32) ([]string, bool) {
		page := must(service.WebhookEndpointsAPI.ListWebhookEndpoints(ctx).Page(number).PageSize(1).Execute())
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
	again := must(service.WebhookDeliveriesAPI.RedeliverWebhookDelivery(ctx, deliveryId).Execute())
	check(again.Id == deliveryId && again.Status == paylinks.WEBHOOKDELIVERYSTATUS_PENDING, "a queued delivery")
	step("redeliver the event")
}

func payAndRefund(linkId string) {
	outcome := *paylinks.NewSimulatePaymentLinkRequest("paid")
	paid := must(service.PaymentLinksAPI.SimulatePaymentLink(ctx, linkId).SimulatePaymentLinkRequest(outcome).Execute())
	check(paid.Status == paylinks.PAYMENTLINKSTATUS_PAID, "a paid link")
	part := paylinks.NewSimulateRefundRequest()
	part.SetAmount(25.5)
	refunded := must(service.TestHelpersAPI.SimulateRefund(ctx, linkId).SimulateRefundRequest(*part).Execute())
	check(refunded.Refunds[0].Amount == 25.5 && refunded.Refunds[0].Status == "succeeded", "a refund")
	step("simulate a payment and a refund")
	links := must(service.PaymentLinksAPI.ListPaymentLinks(ctx).Status(paylinks.PAYMENTLINKSTATUS_PAID).
		ExternalReference(reference).LocationId(os.Getenv("PAYLINKS_LOCATION_ID")).
		CreatedAfter(since).CreatedBefore(since.Add(2 * time.Hour)).PaidAfter(since).Page(1).PageSize(1).Execute())
	check(links.TotalCount == 1 && !links.HasMore && links.Data[0].Id == linkId, "the paid link")
	step("list links by every filter")
}

// Returns the id of the delivery of the payment.
func readDeliveries(linkId, endpointId string) string {
	deliveries := service.WebhookDeliveriesAPI
	found := must(deliveries.ListWebhookDeliveries(ctx).EndpointId(endpointId).PaymentLinkId(linkId).
		Type_("payment_link.paid").Status(paylinks.WEBHOOKDELIVERYSTATUS_SKIPPED).Since(since).Page(1).PageSize(1).Execute())
	check(found.TotalCount == 1 && found.Data[0].Type == "payment_link.paid", "the delivery of the payment")
	deliveryId := found.Data[0].Id
	step("list deliveries by every filter")
	ids := idsOfPages(func(number int32) ([]string, bool) {
		page := must(deliveries.ListWebhookDeliveries(ctx).EndpointId(endpointId).Page(number).PageSize(1).Execute())
		return idsOf(page.Data, func(each paylinks.WebhookDelivery) string { return each.Id }), page.HasMore
	})
	check(len(ids) == 2 && slices.Contains(ids, deliveryId), "both deliveries")
	step("list all pages of deliveries")
	delivery := must(deliveries.GetWebhookDelivery(ctx, deliveryId).Execute())
	event := parse[paylinks.WebhookEvent]([]byte(delivery.Payload))
	check(event.Id == deliveryId && event.Type == "payment_link.paid" && event.Data.PaymentLink.Id == linkId, "the payload")
	step("get a delivery with its payload")
	return deliveryId
}

func main() {
	links := service.PaymentLinksAPI
	request := *paylinks.NewCreatePaymentLinkRequest(125.5, "Cleaning", *paylinks.NewCreatePaymentLinkPatient("Ada", "Byron"))
	request.SetLocationId(os.Getenv("PAYLINKS_LOCATION_ID"))
	request.SetExternalReference(reference)
	create := func(key string) (*paylinks.PaymentLink, *http.Response, error) {
		return links.CreatePaymentLink(ctx).IdempotencyKey(key).CreatePaymentLinkRequest(request).Execute()
	}
	link := must(create(reference))
	check(link.Status == paylinks.PAYMENTLINKSTATUS_ACTIVE && link.Amount == 125.5 && link.PaidAt.Get() == nil, "an active link")
	step("create a link")
	replay, response, err := create(reference)
	check(err == nil && reflect.DeepEqual(replay, link), "the same link")
	check(response.Header.Get("Idempotency-Replayed") == "true", "a replay")
	step("create it again with the same idempotency key")
	check(reflect.DeepEqual(must(links.GetPaymentLink(ctx, link.Id).Execute()), link), "the link as read")
	step("get the link")

	ids := []string{link.Id, must(create(reference + "-a")).Id, must(create(reference + "-b")).Id}
	listed := idsOfPages(func(number int32) ([]string, bool) {
		page := must(links.ListPaymentLinks(ctx).ExternalReference(reference).Page(number).PageSize(2).Execute())
		return idsOf(page.Data, func(each paylinks.PaymentLink) string { return each.Id }), page.HasMore
	})
	check(slices.Equal(slices.Sorted(slices.Values(listed)), slices.Sorted(slices.Values(ids))), "all links")
	step("list all pages of links")
	payAndRead(ids[1])
	check(must(links.CancelPaymentLink(ctx, link.Id).Execute()).Status == paylinks.PAYMENTLINKSTATUS_CANCELLED, "a cancelled link")
	step("cancel a link")

	_, _, err = links.GetPaymentLink(ctx, "plink_nobody").Execute()
	check(refusalOf(err).Code == "not_found", "an unknown link")
	step("read the code of an error")
	request.SetAmount(0)
	_, _, err = create(reference + "-invalid")
	invalid := refusalOf(err)
	check(invalid.Code == "validation_error" && invalid.GetParam() == "amount", "the field of an error")
	step("read the param of an error")
	future := client(os.Getenv("PAYLINKS_FUTURE_URL")).PaymentLinksAPI
	later := must(future.GetPaymentLink(ctx, link.Id).Execute())
	check(later.Source == "kiosk" && later.Transaction.Get().Status == "held" && later.Refunds[0].Status == "recalled", "values to come")
	step("read values of a later version")
	_, _, err = future.CancelPaymentLink(ctx, link.Id).Execute()
	check(refusalOf(err).Code == "code_to_come", "an error code to come")
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
	check(typed.Data.PaymentLink.Transaction.Get().Status == "succeeded", "an event of its type")
	step("parse an event")
	unknown := parse[paylinks.WebhookEvent](raw("unknown-type.json"))
	check(unknown.Type == "payment_link.admired" && unknown.Data.PaymentLink == nil, "an event of a type to come")
	step("parse an event of an unknown type")
	values := parse[paylinks.WebhookEvent](raw("unknown-values.json"))
	check(values.Data.PaymentLink.Source == "kiosk" && values.Data.Context["triggeredBy"] == "kiosk", "an event with values to come")
	step("parse an event with unknown values")
}
