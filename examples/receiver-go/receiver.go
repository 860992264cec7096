package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	webhooks "example.com/webhooks"
)

// maxBodyBytes is far above the largest event. A longer body is not ours.
const maxBodyBytes = 4 << 20

// Event has the properties of every event, whatever its type. Unknown types have them, too.
type Event struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"createdAt"`
	Data      struct {
		PaymentLink *struct {
			ID string `json:"id"`
		} `json:"paymentLink"`
		Context json.RawMessage `json:"context"`
	} `json:"data"`
}

// Receiver answers webhooks: raw bytes first, signature second, storage third, and only then 2xx.
type Receiver struct {
	SecretFile string
	Inbox      *Inbox
	// Stored is called with each event that is new. It must not wait.
	Stored func(Event)
}

func (r *Receiver) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
	if err != nil {
		var tooLong *http.MaxBytesError
		if errors.As(err, &tooLong) {
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	secrets, err := readSecrets(r.SecretFile)
	if err != nil {
		log.Print(err)
		response.WriteHeader(http.StatusInternalServerError)
		return
	}
	if !isGenuine(secrets, request.Header.Get("Service-Signature"), body) {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	var event Event
	if err := json.Unmarshal(body, &event); err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	// An event that was answered with 2xx is not sent again. So it must be on the disk by then.
	isNew, err := r.Inbox.Add(event, body)
	if err != nil {
		log.Print(err)
		response.WriteHeader(http.StatusInternalServerError)
		return
	}
	if isNew {
		r.Stored(event)
	}
	response.WriteHeader(http.StatusNoContent)
}

// isGenuine accepts a webhook that is signed with any of the secrets.
func isGenuine(secrets []string, signature string, body []byte) bool {
	for _, secret := range secrets {
		if webhooks.IsGenuine(secret, signature, body, time.Now()) {
			return true
		}
	}
	return false
}

// readSecrets reads one secret a line: during a rotation the new one and the old one. It reads them for each webhook,
// so that a rotation needs no restart.
func readSecrets(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(text)), nil
}
