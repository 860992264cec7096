// Creates, replays, reads and lists a link, and reads what a later version may send.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
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

func must[T any](value T, _ any, err error) T {
	check(err == nil, fmt.Sprint(err))
	return value
}

func client(url string) *paylinks.APIClient {
	configuration := paylinks.NewConfiguration()
	configuration.Servers = paylinks.ServerConfigurations{{URL: url}}
	return paylinks.NewAPIClient(configuration)
}

func errorCode(err error) string {
	var refusal *paylinks.GenericOpenAPIError
	check(errors.As(err, &refusal), "a refusal has a type")
	model, ok := refusal.Model().(paylinks.ApiError)
	check(ok, "a refusal has a model")
	return model.Error.Code
}

func read[T any](name string) T {
	raw, err := os.ReadFile(filepath.Join(os.Getenv("PAYLINKS_SAMPLES"), name))
	check(err == nil, fmt.Sprint(err))
	var value T
	err = json.Unmarshal(raw, &value)
	check(err == nil, fmt.Sprint(name, ": ", err))
	return value
}

func main() {
	ctx := context.WithValue(context.Background(), paylinks.ContextAccessToken, os.Getenv("PAYLINKS_API_KEY"))
	links := client(os.Getenv("PAYLINKS_BASE_URL")).PaymentLinksAPI
	reference := "sdk-" + rand.Text()
	request := *paylinks.NewCreatePaymentLinkRequest(125.5, "Cleaning", *paylinks.NewCreatePaymentLinkPatient("Ada", "Byron"))
	request.SetLocationId(os.Getenv("PAYLINKS_LOCATION_ID"))
	request.SetExternalReference(reference)

	link := must(links.CreatePaymentLink(ctx).IdempotencyKey(reference).CreatePaymentLinkRequest(request).Execute())
	check(link.Status == paylinks.PAYMENTLINKSTATUS_ACTIVE && !link.PaidAt.IsSet() == false && link.PaidAt.Get() == nil, "an active link")
	replay, response, err := links.CreatePaymentLink(ctx).IdempotencyKey(reference).CreatePaymentLinkRequest(request).Execute()
	check(err == nil && replay.Id == link.Id && response.Header.Get("Idempotency-Replayed") == "true", "a replay")
	check(reflect.DeepEqual(must(links.GetPaymentLink(ctx, link.Id).Execute()), link), "the link as read")

	since := time.Now().Add(-time.Hour).In(time.FixedZone("", 7200))
	page := must(links.ListPaymentLinks(ctx).Status(paylinks.PAYMENTLINKSTATUS_ACTIVE).ExternalReference(reference).CreatedAfter(since).Execute())
	check(page.TotalCount == 1 && page.Data[0].Id == link.Id, "the link in the list")
	check(must(links.CancelPaymentLink(ctx, link.Id).Execute()).Status == paylinks.PAYMENTLINKSTATUS_CANCELLED, "a cancelled link")
	_, _, err = links.GetPaymentLink(ctx, "plink_nobody").Execute()
	check(errorCode(err) == "not_found", "an unknown link")

	future := client(os.Getenv("PAYLINKS_FUTURE_URL")).PaymentLinksAPI
	later := must(future.GetPaymentLink(ctx, link.Id).Execute())
	check(later.Source == "kiosk" && later.Transaction.Get().Status == "held" && later.Refunds[0].Status == "recalled", "values to come")
	_, _, err = future.CancelPaymentLink(ctx, link.Id).Execute()
	check(errorCode(err) == "code_to_come", "an error code to come")

	known := read[paylinks.WebhookEvent]("known.json")
	check(known.Type == "payment_link.paid" && known.Data.PaymentLink.Id != "", "a known event")
	typed := read[paylinks.PaymentLinkPaidEvent]("known.json")
	check(typed.Data.PaymentLink.Transaction.Get().Status == "succeeded", "an event of its type")
	unknown := read[paylinks.WebhookEvent]("unknown-type.json")
	check(unknown.Type == "payment_link.admired" && unknown.Data.PaymentLink == nil, "an event of a type to come")
	values := read[paylinks.WebhookEvent]("unknown-values.json")
	check(values.Data.PaymentLink.Source == "kiosk" && values.Data.Context["triggeredBy"] == "kiosk", "an event with values to come")
	fmt.Println("ok")
}
