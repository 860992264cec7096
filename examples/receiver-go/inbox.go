package main

import (
	"bytes"
	"encoding/json"
	"sync"
)

// Inbox stores each event once. It may be used by several goroutines.
type Inbox struct {
	mutex   sync.Mutex
	journal *Journal
	seen    map[string]bool
	stored  []Event
}

// OpenInbox reads the events that were stored before.
func OpenInbox(path string) (*Inbox, error) {
	inbox := &Inbox{seen: map[string]bool{}}
	journal, err := OpenJournal(path, func(line []byte) error {
		var event Event
		if err := json.Unmarshal(line, &event); err != nil {
			return err
		}
		inbox.seen[event.ID] = true
		inbox.stored = append(inbox.stored, event)
		return nil
	})
	inbox.journal = journal
	return inbox, err
}

// Stored returns the events of earlier runs.
func (i *Inbox) Stored() []Event {
	return i.stored
}

// Add stores an event on the disk. It returns false if an event with this id is there already.
func (i *Inbox) Add(event Event, body []byte) (isNew bool, err error) {
	var line bytes.Buffer
	if err := json.Compact(&line, body); err != nil {
		return false, err
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.seen[event.ID] {
		return false, nil
	}
	if err := i.journal.Add(line.Bytes()); err != nil {
		return false, err
	}
	i.seen[event.ID] = true
	return true, nil
}

// Close closes the journal.
func (i *Inbox) Close() error {
	return i.journal.Close()
}
