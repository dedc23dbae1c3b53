package explain

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// mostName is the length of the longest name that there can be; a longer text is cut.
const mostName = 253

// quoted returns a name as it is where it consists of what names in Kubernetes consist of,
// and otherwise in quotes, with everything but printable ASCII escaped: such a text can
// neither end a line nor turn its direction.
func quoted[S ~string](name S) string {
	s := string(name)
	cutOff := len(s) > 2*mostName
	if cutOff {
		s = s[:2*mostName]
		for len(s) > 0 && !utf8.ValidString(s[len(s)-1:]) {
			s = s[:len(s)-1]
		}
	}
	if s == "" || strings.IndexFunc(s, strange) >= 0 {
		s = strconv.QuoteToASCII(s)
	}
	if cutOff {
		s += "..."
	}
	return s
}

// strange reports whether a rune is none that stands in names, selectors and keys.
func strange(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_./:", r)
}

// plain is quoted for texts that may hold spaces and what selectors consist of.
func plain(s string) string {
	for _, r := range s {
		if r < ' ' || r > '~' {
			return quoted(s)
		}
	}
	if len(s) > 4*mostName {
		return s[:4*mostName] + "..."
	}
	return s
}

// list joins names and says how many more there are.
func list(names []string, more int) string {
	text := strings.Join(names, ", ")
	if more > 0 && text != "" {
		text += fmt.Sprintf(" and %d more", more)
	} else if more > 0 {
		text = strconv.Itoa(more)
	}
	return text
}

func quotedAll[S ~string](names []S) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = quoted(n)
	}
	return out
}

// plural counts things whose name takes an s.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// text names a pod with its priority.
func (p *Pod) text() string {
	if p == nil {
		return "a pod"
	}
	return fmt.Sprintf("%s (priority %d)", quoted(p.Key), p.Priority)
}

// placed names a pod with its priority and its node.
func (p *Pod) placed() string {
	if p == nil || p.Node == "" {
		return p.text()
	}
	return fmt.Sprintf("%s (priority %d, on %s)", quoted(p.Key), p.Priority, quoted(p.Node))
}

func pods(ps []Pod, more int) string {
	names := make([]string, len(ps))
	for i := range ps {
		names[i] = ps[i].text()
	}
	return list(names, more)
}

// what names a resource in a sentence.
func what(name resource.Name) string {
	if name == resource.Pods {
		return "places for pods"
	}
	return plain(string(name))
}

// text says what is missing.
func (s *Shortage) text() string {
	if s.Resource == resource.Pods {
		text := fmt.Sprintf("the node holds %s pods already, of at most %s", s.Offered.Sub(s.Free), s.Offered)
		return text + s.reservedText()
	}
	text := fmt.Sprintf("%s is short by %s: %s needed, %s free of %s", what(s.Resource), s.Short, s.Needed, s.Free, s.Offered)
	if s.Needed.Cmp(s.Offered) > 0 {
		return text + ", too little even on an empty node"
	}
	return text + s.reservedText()
}

func (s *Shortage) reservedText() string {
	if s.Reserved.IsZero() {
		return ""
	}
	return fmt.Sprintf(" (%s kept for nominated pods)", s.Reserved)
}

func shortages(list []Shortage) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].text()
	}
	return strings.Join(texts, "; ")
}

// tolerationText writes a toleration as a line of YAML.
func tolerationText(t *outrank.Toleration) string {
	text := fmt.Sprintf("{key: %s, operator: %s", quoted(t.Key), plain(string(t.Operator)))
	if t.Value != "" {
		text += ", value: " + strconv.QuoteToASCII(t.Value) // YAML reads true as something else
	}
	return text + ", effect: " + string(t.Effect) + "}"
}

func taintText(t *outrank.Taint) string {
	text := quoted(t.Key)
	if t.Value != "" {
		text += "=" + quoted(t.Value)
	}
	return text + ":" + string(t.Effect)
}

// moment is exact as far as the second; ranks compare to the nanosecond.
func moment(t time.Time) string {
	switch {
	case t.IsZero():
		return "not yet"
	case t.Nanosecond() == 0:
		return t.UTC().Format("2006-01-02 15:04:05")
	}
	return t.UTC().Format("2006-01-02 15:04:05.999999999")
}
