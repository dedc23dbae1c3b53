package question

import "fmt"

// Each page ends with what to do: what happens by itself, which changes were tried and help, and which question
// tries more.

// mostWays is the most changes that the end of a page suggests.
const mostWays = 3

// cost says how many pods are evicted. It is empty if there are none.
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
