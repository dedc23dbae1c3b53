// Package prose answers: how are names and amounts written in a sentence? They are written safely, whatever
// characters they have, and in the same way in all packages that explain. The package also has the parts of
// sentences that answers and errors share.
package prose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/resource"
)

// MostName is the length of the longest valid name in Kubernetes. Texts are cut at a few times that length.
const MostName = 253

// Dropped is the reason for a node that an extender has removed from the candidates.
const Dropped = "an extender dropped the node"

// ResizeFits is the reason why a pod waits whose deferred resize has room: the kubelet carries the resize out
// (rule 7.19.7).
const ResizeFits = "pod resize fits, waiting for Kubelet actuation"

// IsDropped reports whether the reasons of a node say that an extender has dropped it.
func IsDropped(reasons []string) bool { return slices.Contains(reasons, Dropped) }

// Name returns a name as it is if it has only characters that names in Kubernetes can have. It returns any
// other text in quotes, with everything but printable ASCII escaped, so that the text can neither end a line
// nor change the direction of writing nor colour a terminal.
func Name[S ~string](name S) string {
	s, rest := cut(string(name), 2*MostName)
	if s == "" || strings.IndexFunc(s, strange) >= 0 {
		s = strconv.QuoteToASCII(s)
	}
	return s + rest
}

// Names applies Name to each name of a list.
func Names[S ~string](names []S) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = Name(n)
	}
	return out
}

// strange reports whether a rune never occurs in names and keys.
func strange(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_./:", r)
}

// Text is Name for texts that may have any printable ASCII character, such as a selector or the reason of a
// filter.
func Text(s string) string {
	s, rest := cut(s, 4*MostName)
	for _, r := range s {
		if r < ' ' || r > '~' {
			return strconv.QuoteToASCII(s) + rest
		}
	}
	return s + rest
}

// cut returns at most the first most bytes of a text, and dots if that is not all of it.
func cut(s string, most int) (short, rest string) {
	if len(s) <= most {
		return s, ""
	}
	return s[:most], "..."
}

// List joins names with commas, and adds how many more there are: "a, b and 3 more".
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

// Plural returns a number of things, such as "1 pod" or "2 pods". what is a noun whose plural only adds an s.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Resource returns the name of a resource for a sentence. The places for pods on a node are the resource
// "pods".
func Resource(name resource.Name) string { return Text(string(name)) }

// Quantity returns the quantity that an amount of a resource stands for. It is the inverse of [resource.Amount].
func Quantity(name resource.Name, amount int64) resource.Quantity {
	switch {
	case name == resource.CPU:
		return resource.NewMilli(amount)
	case name == resource.Memory, name == resource.EphemeralStorage, strings.HasPrefix(string(name), resource.HugePagesPrefix):
		return resource.NewBinary(amount)
	}
	return resource.New(amount)
}

// NoPlace says why there is no place for a group. pod is the pod that has no place, empty if it is none in
// particular. nodes are the answers of the nodes about it, and others are further reasons; empty ones are left
// out.
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
