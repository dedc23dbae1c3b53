package question

import "fmt"

// The end of a page says what to do: what happens by itself, what was tried and helps, and
// which question tries more.

// mostWays is the most changes that are told at the end of a page.
const mostWays = 3

// cost says that pods leave; empty where none does.
func cost(victims, violating int) string {
	if victims == 0 {
		return ""
	}
	text := subject(victims, "running pod is evicted", "running pods are evicted")
	if violating > 0 {
		text += fmt.Sprintf(", %d against a disruption budget", violating)
	}
	return text
}
