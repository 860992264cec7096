// Creates, replays, reads and lists a link, and reads what a later version may send.
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
	"time"

	"scenario/paylinks"
)

func check(ok bool, what string) {
	if !ok {
		fmt.Fprintln(os.Stderr, "failed:", what)
		os.Exit(1)
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

func read[T any](name string) T {
	raw := must(os.ReadFile(filepath.Join(os.Getenv("PAYLINKS_SAMPLES"), name)))
	var value T
	err := json.Unmarshal(raw, &value)
	check(err == nil, fmt.Sprint(name, ": ", err))
	return value
}

func main() {
	ctx := context.Background()
	service := client(os.Getenv("PAYLINKS_BASE_URL"))
	reference := "sdk-" + rand.Text()
	location := os.Getenv("PAYLINKS_LOCATION_ID")
	request := paylinks.CreatePaymentLinkRequest{
		Amount:            125.5,
		Description:       "Cleaning",
		Patient:           paylinks.CreatePaymentLinkPatient{FirstName: "Ada", LastName: "Byron"},
		LocationId:        &location,
		ExternalReference: &reference,
	}
	key := &paylinks.CreatePaymentLinkParams{IdempotencyKey: reference}

	link := must(service.CreatePaymentLinkWithResponse(ctx, key, request)).JSON201
	check(link != nil && link.Status == paylinks.PaymentLinkStatusActive && link.PaidAt == nil, "an active link")
	replay := must(service.CreatePaymentLinkWithResponse(ctx, key, request))
	check(replay.JSON201.Id == link.Id && replay.HTTPResponse.Header.Get("Idempotency-Replayed") == "true", "a replay")
	check(reflect.DeepEqual(must(service.GetPaymentLinkWithResponse(ctx, link.Id)).JSON200, link), "the link as read")

	since := time.Now().Add(-time.Hour).In(time.FixedZone("", 7200))
	status := paylinks.PaymentLinkStatusActive
	filter := &paylinks.ListPaymentLinksParams{Status: &status, ExternalReference: &reference, CreatedAfter: &since}
	page := must(service.ListPaymentLinksWithResponse(ctx, filter)).JSON200
	check(page != nil && page.TotalCount == 1 && page.Data[0].Id == link.Id, "the link in the list")
	cancelled := must(service.CancelPaymentLinkWithResponse(ctx, link.Id)).JSON200
	check(cancelled.Status == paylinks.PaymentLinkStatusCancelled, "a cancelled link")
	refusal := must(service.GetPaymentLinkWithResponse(ctx, "plink_nobody")).JSON404
	check(refusal.Error.Code == "not_found", "an unknown link")

	future := client(os.Getenv("PAYLINKS_FUTURE_URL"))
	later := must(future.GetPaymentLinkWithResponse(ctx, link.Id)).JSON200
	check(later.Source == "kiosk" && later.Transaction.Status == "held" && later.Refunds[0].Status == "recalled", "values to come")
	check(must(future.CancelPaymentLinkWithResponse(ctx, link.Id)).JSON409.Error.Code == "code_to_come", "an error code to come")

	known := read[paylinks.WebhookEvent]("known.json")
	check(known.Type == "payment_link.paid" && known.Data.PaymentLink.Id != "", "a known event")
	typed := read[paylinks.PaymentLinkPaidEvent]("known.json")
	check(typed.Data.PaymentLink.Transaction.Status == "succeeded", "an event of its type")
	unknown := read[paylinks.WebhookEvent]("unknown-type.json")
	check(unknown.Type == "payment_link.admired" && unknown.Data.PaymentLink == nil, "an event of a type to come")
	values := read[paylinks.WebhookEvent]("unknown-values.json")
	check(values.Data.PaymentLink.Source == "kiosk" && (*values.Data.Context)["triggeredBy"] == "kiosk", "an event with values to come")
	fmt.Println("ok")
}
