package main

import (
	"context"
	"errors"
	"log"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	firstWait = 500 * time.Millisecond
	maxWait   = time.Minute
)

// Worker handles stored events one after the other. It reads the link afresh for each, so the order in which events
// come does not matter: the state that it stores is always the present one.
type Worker struct {
	client  *Client
	links   *Links
	mutex   sync.Mutex
	waiting []Event
	wakeUp  chan struct{}
}

// NewWorker returns a worker that begins with the events of earlier runs. Those that are handled already cost nothing.
func NewWorker(client *Client, links *Links, stored []Event) *Worker {
	return &Worker{client: client, links: links, waiting: stored, wakeUp: make(chan struct{}, 1)}
}

// Add queues an event. It does not wait.
func (w *Worker) Add(event Event) {
	w.mutex.Lock()
	w.waiting = append(w.waiting, event)
	w.mutex.Unlock()
	select {
	case w.wakeUp <- struct{}{}:
	default: // It is awake already.
	}
}

// Run handles events until the context ends. An event that is not handled by then is handled by the next run.
func (w *Worker) Run(ctx context.Context) {
	for {
		event, found := w.next()
		if found {
			w.handle(ctx, event)
		}
		if ctx.Err() != nil {
			return
		}
		if !found {
			select {
			case <-w.wakeUp:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (w *Worker) next() (event Event, found bool) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if len(w.waiting) == 0 {
		return Event{}, false
	}
	event = w.waiting[0]
	w.waiting = w.waiting[1:]
	return event, true
}

// handle tries one event until it succeeds, because nobody sends it again.
func (w *Worker) handle(ctx context.Context, event Event) {
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		err := w.apply(ctx, event)
		if err == nil || ctx.Err() != nil {
			return
		}
		log.Printf("%s %s is tried again: %v", event.Type, event.ID, err)
		// Some chance keeps many clients from returning at the same moment.
		pause := wait/2 + rand.N(wait)
		var refusal *APIError
		if errors.As(err, &refusal) {
			pause = max(pause, refusal.RetryAfter)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

func (w *Worker) apply(ctx context.Context, event Event) error {
	// A ping is about no link. A type that is unknown here may have changed its link, so the link is read.
	if event.Data.PaymentLink == nil || w.links.IsHandled(event.ID) {
		return nil
	}
	link, err := w.client.Link(ctx, event.Data.PaymentLink.ID)
	var refusal *APIError
	if errors.As(err, &refusal) && refusal.Code == "not_found" {
		log.Printf("%s %s is skipped: the key of this program cannot see its link", event.Type, event.ID)
		return nil
	}
	if err != nil {
		return err
	}
	return w.links.Store(event, link)
}
