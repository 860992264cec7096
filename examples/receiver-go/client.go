package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// APIError is an answer outside 2xx. Program against Code, and quote RequestID when you ask for help.
type APIError struct {
	Status     int
	RetryAfter time.Duration
	Code       string `json:"code"`
	Message    string `json:"message"`
	RequestID  string `json:"requestId"`
}

func (e *APIError) Error() string {
	return fmt.Sprintf("%d %s: %s (%s)", e.Status, e.Code, e.Message, e.RequestID)
}

// Client reads payment links.
type Client struct {
	baseURL string
	apiKey  string
	http    *http.Client
}

// NewClient returns a client with a time limit. The service answers within ten seconds.
func NewClient(baseURL, apiKey string) *Client {
	return &Client{baseURL: baseURL, apiKey: apiKey, http: &http.Client{Timeout: 15 * time.Second}}
}

// Link returns a link as it is now. An answer outside 2xx is an *APIError.
func (c *Client) Link(ctx context.Context, id string) (json.RawMessage, error) {
	address := c.baseURL + "/api/v1/payment-links/" + url.PathEscape(id)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.apiKey)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return body, nil
	}
	var failure struct{ Error APIError }
	// A proxy may answer with something else. Then the status alone counts.
	_ = json.Unmarshal(body, &failure)
	failure.Error.Status = response.StatusCode
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		failure.Error.RetryAfter = time.Duration(seconds) * time.Second
	}
	return nil, &failure.Error
}
