package explain

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// text returns the name of a pod with its priority.
func (p *Pod) text() string {
	if p == nil {
		return "a pod"
	}
	return fmt.Sprintf("%s (priority %d)", prose.Name(p.Key), p.Priority)
}

// placed returns the name of a pod with its priority and its node.
func (p *Pod) placed() string {
	if p == nil || p.Node == "" {
		return p.text()
	}
	return fmt.Sprintf("%s (priority %d, on %s)", prose.Name(p.Key), p.Priority, prose.Name(p.Node))
}

// pods lists pods with their priorities.
func pods(l List[Pod]) string { return prose.List(textsOf(l.Items, (*Pod).text), l.More) }

// text says what is missing of the resource.
func (s *Room) text() string {
	if driver := s.driver(); driver != "" {
		return fmt.Sprintf("driver %s has %s volumes attached, the pod brings %s, and there may be %s", prose.Name(driver), s.Offered.Sub(s.Free), s.Needed, s.Offered)
	}
	if s.Resource == resource.Pods {
		text := fmt.Sprintf("the node holds %s pods already, of at most %s", s.Offered.Sub(s.Free), s.Offered)
		return text + s.reservedText()
	}

	text := fmt.Sprintf("%s is short by %s: %s needed, %s free of %s", prose.Resource(s.Resource), s.Short, s.Needed, s.Free, s.Offered)
	if s.Needed.Cmp(s.Offered) > 0 {
		return text + ", too little even on an empty node"
	}
	return text + s.reservedText()
}

// reservedText mentions the amount that is kept for nominated pods. It is empty if there is none.
func (s *Room) reservedText() string {
	if s.Reserved.IsZero() {
		return ""
	}
	return fmt.Sprintf(" (%s kept for nominated pods)", s.Reserved)
}

// shortages says what is missing of each resource.
func shortages(list []Room) string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].text()
	}
	return strings.Join(texts, "; ")
}

// tolerationText writes a toleration as a line of YAML.
func tolerationText(t outrank.Toleration) string {
	text := fmt.Sprintf("{key: %s, operator: %s", prose.Name(t.Key), prose.Text(string(t.Operator)))
	if t.Value != "" {
		text += ", value: " + strconv.QuoteToASCII(t.Value) // YAML reads true as something else
	}
	return text + ", effect: " + string(t.Effect) + "}"
}

// taintText writes a taint as kubectl does.
func taintText(t *outrank.Taint) string {
	text := prose.Name(t.Key)
	if t.Value != "" {
		text += "=" + prose.Name(t.Value)
	}
	return text + ":" + string(t.Effect)
}

// moment writes a time. Ranks compare times to the nanosecond, so fractions of a second are written, too.
func moment(t time.Time) string {
	switch {
	case t.IsZero():
		return "not yet"
	case t.Nanosecond() == 0:
		return t.UTC().Format("2006-01-02 15:04:05")
	}
	return t.UTC().Format("2006-01-02 15:04:05.999999999")
}

// refusalOf returns the text of a reason that the caller's rule gave. It is empty for a reason of the library, whose
// message differs from the reason itself.
func refusalOf(why preemption.Ineligibility) string {
	if text := string(why); why.Message() == text {
		return text
	}
	return ""
}

// priorityShift is added to the priority of each victim in the sum of a score (rule 11.4).
const priorityShift = 1 << 31

// plainSum returns the sum of the victims' priorities, without the shift of each victim.
func plainSum(s *preemption.Score) int64 { return s.PrioritySum - int64(s.Victims)*priorityShift }

// textsOf returns the text of each element.
func textsOf[T any](list []T, text func(*T) string) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = text(&list[i])
	}
	return out
}
