package main

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Dispute is the latest dispute of a link. Links do not have it, so it comes from events.
type Dispute struct {
	// Status is open, won or lost.
	Status string    `json:"status"`
	At     time.Time `json:"at"`
}

// State is all that we know of a link.
type State struct {
	// Link is the link as the API returned it last.
	Link    json.RawMessage `json:"link"`
	Dispute *Dispute        `json:"dispute"`
}

// change is a line of the journal: the new state, and the event that is handled by it. One line has both, so that there
// is never one without the other.
type change struct {
	EventID string `json:"eventId"`
	LinkID  string `json:"linkId"`
	State   State  `json:"state"`
}

// Links stores the state of each link, and which events are handled.
type Links struct {
	mutex   sync.Mutex
	journal *Journal
	states  map[string]State
	handled map[string]bool
}

// OpenLinks reads the states that were stored before.
func OpenLinks(path string) (*Links, error) {
	links := &Links{states: map[string]State{}, handled: map[string]bool{}}
	journal, err := OpenJournal(path, func(line []byte) error {
		var stored change
		if err := json.Unmarshal(line, &stored); err != nil {
			return err
		}
		links.remember(stored)
		return nil
	})
	links.journal = journal
	return links, err
}

// IsHandled reports whether the event's change is stored.
func (l *Links) IsHandled(eventID string) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.handled[eventID]
}

// Store stores a link as it is now, and that the event is handled.
func (l *Links) Store(event Event, link json.RawMessage) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	linkID := event.Data.PaymentLink.ID
	state := State{Link: link, Dispute: disputeAfter(l.states[linkID].Dispute, event)}
	stored := change{EventID: event.ID, LinkID: linkID, State: state}
	line, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	if err := l.journal.Add(line); err != nil {
		return err
	}
	l.remember(stored)
	return nil
}

// Show answers with the state of one link.
func (l *Links) Show(response http.ResponseWriter, request *http.Request) {
	l.mutex.Lock()
	state, found := l.states[request.PathValue("id")]
	l.mutex.Unlock()
	if !found {
		http.NotFound(response, request)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(response).Encode(state)
}

// Close closes the journal.
func (l *Links) Close() error {
	return l.journal.Close()
}

func (l *Links) remember(stored change) {
	l.states[stored.LinkID] = stored.State
	l.handled[stored.EventID] = true
}

// disputeAfter returns the dispute after an event. An older event never replaces a newer one. Of two events of the same
// moment the closing is the later one.
func disputeAfter(known *Dispute, event Event) *Dispute {
	next := &Dispute{At: event.CreatedAt}
	switch event.Type {
	case "payment_link.disputed":
		next.Status = "open"
	case "payment_link.dispute_closed":
		var context struct {
			DisputeOutcome string `json:"disputeOutcome"`
		}
		if err := json.Unmarshal(event.Data.Context, &context); err != nil {
			return known
		}
		next.Status = context.DisputeOutcome
	default:
		return known
	}
	if known == nil || next.At.After(known.At) || (next.At.Equal(known.At) && next.Status != "open") {
		return next
	}
	return known
}
