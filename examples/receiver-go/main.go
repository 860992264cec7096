// Command receiver receives webhooks of payment links and keeps the present state of each link. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()

	folder := setting("DATA_FOLDER", ".")
	inbox, err := OpenInbox(filepath.Join(folder, "events.jsonl"))
	if err != nil {
		return err
	}
	defer inbox.Close()
	links, err := OpenLinks(filepath.Join(folder, "links.jsonl"))
	if err != nil {
		return err
	}
	defer links.Close()

	client := NewClient(setting("PAYLINKS_BASE_URL", "http://localhost:3000"), os.Getenv("PAYLINKS_API_KEY"))
	worker := NewWorker(client, links, inbox.Stored())
	receiver := &Receiver{SecretFile: setting("SECRET_FILE", "webhook-secret"), Inbox: inbox, Stored: worker.Add}

	mux := http.NewServeMux()
	mux.Handle("POST /webhooks", receiver)
	mux.HandleFunc("GET /links/{id}", links.Show)
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       60 * time.Second,
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+setting("RECEIVER_PORT", "4000"))
	if err != nil {
		return err
	}
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		worker.Run(ctx)
	}()
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		deadline, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		stopped <- server.Shutdown(deadline)
	}()
	fmt.Printf("listening on http://%s/webhooks\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-worked
	return <-stopped
}

func setting(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}
