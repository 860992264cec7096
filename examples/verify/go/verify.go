// Package webhooks verifies webhooks. Standard library only.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const tolerance = 300 * time.Second

var digits = regexp.MustCompile(`^[0-9]{1,12}$`)

// IsGenuine reports whether a webhook is genuine and recent.
//
// secret is the endpoint's secret, "whsec_" included; header the value of Service-Signature, empty when there is none;
// body the body exactly as received, before any parsing; now is time.Now() except in tests.
func IsGenuine(secret, header string, body []byte, now time.Time) bool {
	var timestamps, signatures []string
	for _, part := range strings.Split(header, ",") {
		if timestamp, found := strings.CutPrefix(part, "t="); found {
			timestamps = append(timestamps, timestamp)
		} else if signature, found := strings.CutPrefix(part, "v1="); found {
			signatures = append(signatures, signature)
		}
	}
	if len(timestamps) != 1 || !digits.MatchString(timestamps[0]) {
		return false
	}
	seconds, err := strconv.ParseInt(timestamps[0], 10, 64)
	if err != nil {
		return false
	}
	// Duration saturates, so that the far past and future are far away and nothing overflows.
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamps[0] + "."))
	mac.Write(body)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	// Every signature is compared, each in constant time, so that the time reveals nothing.
	genuine := false
	for _, signature := range signatures {
		if hmac.Equal([]byte(signature), expected) {
			genuine = true
		}
	}
	return genuine
}
