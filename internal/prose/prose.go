// Package prose answers how names and amounts stand in a sentence: safely, whatever they
// consist of, and alike in all packages that explain. It has the parts of sentences that answers and
// errors share.
package prose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/resource"
)

// MostName is the length of the longest name that there can be; texts are cut beyond a
// few times that.
const MostName = 253

// Dropped is what a node is said to lack that an extender has taken off the candidates.
const Dropped = "an extender dropped the node"

// ResizeFits is what is said of a deferred resize for which there is room: the kubelet carries it
// out (rule 7.19.7).
const ResizeFits = "pod resize fits, waiting for Kubelet actuation"

// IsDropped reports whether the reasons are those of a node without a candidate for Dropped.
func IsDropped(reasons []string) bool { return slices.Contains(reasons, Dropped) }

// Name returns a name as it is where it consists of what names in Kubernetes consist of,
// and otherwise in quotes, with everything but printable ASCII escaped: such a text can
// neither end a line nor turn its direction nor colour a terminal.
func Name[S ~string](name S) string {
	s, rest := cut(string(name), 2*MostName)
	if s == "" || strings.IndexFunc(s, strange) >= 0 {
		s = strconv.QuoteToASCII(s)
	}
	return s + rest
}

// Names is Name for each of a list.
func Names[S ~string](names []S) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = Name(n)
	}
	return out
}

// strange reports whether a rune is none that stands in names and keys.
func strange(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_./:", r)
}

// Text is Name for what may hold any printable ASCII, such as a selector or a filter's
// reason.
func Text(s string) string {
	s, rest := cut(s, 4*MostName)
	for _, r := range s {
		if r < ' ' || r > '~' {
			return strconv.QuoteToASCII(s) + rest
		}
	}
	return s + rest
}

// cut shortens a text, and returns what says so.
func cut(s string, most int) (short, rest string) {
	if len(s) <= most {
		return s, ""
	}
	return s[:most], "..."
}

// List joins names and says how many more there are.
func List(names []string, more int) string {
	text := strings.Join(names, ", ")
	switch {
	case more > 0 && text == "":
		return strconv.Itoa(more)
	case more > 0:
		return fmt.Sprintf("%s and %d more", text, more)
	}
	return text
}

// Plural counts things whose name takes an s.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Resource names a resource; places for pods are "pods".
func Resource(name resource.Name) string { return Text(string(name)) }

// Quantity is the inverse of [resource.Amount].
func Quantity(name resource.Name, amount int64) resource.Quantity {
	switch {
	case name == resource.CPU:
		return resource.NewMilli(amount)
	case name == resource.Memory, name == resource.EphemeralStorage, strings.HasPrefix(string(name), resource.HugePagesPrefix):
		return resource.NewBinary(amount)
	}
	return resource.New(amount)
}

// NoPlace says why there is no place for a group: for which of its pods, empty for none in particular,
// what the nodes said to it, and what else is in the way, where that is not empty.
func NoPlace[Count fmt.Stringer](pod string, nodes []Count, others ...string) string {
	text := "no place"
	if pod != "" {
		text += " for " + pod
	}
	sep := ": "
	for _, count := range nodes {
		text += sep + count.String()
		sep = ", "
	}
	for _, other := range others {
		if other != "" {
			text += "; " + other
		}
	}
	return text
}
