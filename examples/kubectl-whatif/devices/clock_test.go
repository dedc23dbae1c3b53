package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The time of the answer is the API server's, of whatever kind the object is that was created last,
// and a pod that starts later is named. Any time that is read can be written.
func TestTheClockIsTheAPIServers(t *testing.T) {
	for _, at := range []string{"2026-01-02T00:05:00Z", "3026-01-01T00:00:00Z", "9999-12-31T23:59:59Z"} {
		ahead := pod("x", "n", 1, "held")
		ahead["status"] = object{"startTime": at}
		last := slice("n", 1)
		last["metadata"].(object)["creationTimestamp"] = "2026-01-02T00:00:00Z"
		dump := list(node("n"), class("gpu"), last, claim("held", exactly("gpu", 1), holds("n", "d0", "x")), claim("c", exactly("gpu", 1)), ahead, pod("p", "", 9, "c"))
		for _, form := range []string{"text", "json", "yaml", "html", "wide"} {
			status, stdout, stderr := ask(dump, "--cluster", "-", "--pending", "default/p", "-o", form)
			assert.Zero(t, status, "%s, %s: %s", at, form, stderr)
			if form == "text" {
				assert.Contains(t, stdout, "as of      2026-01-02 00:00:01 UTC")
				words := strings.Join(strings.Fields(stdout), " ")
				assert.Contains(t, words, "has a pod that starts after 2026-01-02 00:00:01 UTC, the time of this answer: default/x;", at)
			}
		}
	}
}
