// Command verify checks one webhook: verify <secret> <header> [<now>] < body
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	webhooks "example.com/webhooks"
)

func main() {
	if len(os.Args) != 3 && len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: verify <secret> <Service-Signature> [<unix time>] < body")
		os.Exit(2)
	}
	now := time.Now()
	if len(os.Args) == 4 {
		seconds, err := strconv.ParseInt(os.Args[3], 10, 64)
		if err != nil {
			fmt.Fprintln(os.Stderr, "the time must be whole Unix seconds")
			os.Exit(2)
		}
		now = time.Unix(seconds, 0)
	}
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !webhooks.IsGenuine(os.Args[1], os.Args[2], body, now) {
		fmt.Println("not genuine")
		os.Exit(1)
	}
	fmt.Println("genuine")
}
